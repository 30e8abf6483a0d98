"""Renderers: an answer of the model as HTML or PDF; nothing is computed or worded here."""
