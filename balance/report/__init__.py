"""Reports that a designer forwards: one model of the content, and renderings of it as HTML and as PDF."""
