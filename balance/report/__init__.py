"""Reports that a designer forwards: one model of what is said, and renderings of it as HTML and as PDF."""
