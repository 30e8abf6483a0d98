"""The compiled engine of Nefarious, one file per step of the round.

`round` plays a round; `state` holds the records; `lines` plays the effect language; `start`, `choose`,
`income`, `speculate`, `invent`, `research`, `work` and `score` are the steps of the rules page. Nothing in
here knows the name of a card or a twist, and nothing but `policies` decides.
"""
