"""The chapters of a report: each puts a part of the evidence into words, tables and figures."""
