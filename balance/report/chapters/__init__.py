"""The chapters of a report: each puts a part of the material into words, tables and figures."""
