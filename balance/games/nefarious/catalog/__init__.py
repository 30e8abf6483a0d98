"""The catalog of Nefarious: its model, reading files, changing entries, describing them in English.

`model` is what games are played by; everything else only reads, changes or describes.
"""
