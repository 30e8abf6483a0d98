"""One entry of the catalog explained to a user: its rule in words, its source, where it is used."""

from collections.abc import Sequence
from typing import Any

from balance.games.contract import Description
from balance.games.nefarious import vocabulary as v
from balance.games.nefarious.catalog import english
from balance.games.nefarious.catalog.model import (
    Catalog,
    Edition,
    Invention,
    Item,
    Switches,
    Twist,
    changed_parameters,
)
from balance.games.nefarious.catalog.written import changed_fields, written
from balance.games.nefarious.policies.fitted import unfitted

_Sections = list[tuple[str, Sequence[str]]]


def describe_invention(catalog: Catalog, invention: Invention) -> Description:
    """Explain a card."""
    rule = [english.invention_value(invention), *english.invention_lines(invention)]
    used = [f"Once in the deck of every edition: {', '.join(e.id for e in catalog.editions)}."]
    if any(e.per == "hand" for e in (*invention.self_effects, *invention.others_effects)):
        used += _with_switch(
            catalog, "per_hand_counts", "{} counts something else instead of its cards in hand."
        )
    if invention.blank:
        used += _with_switch(
            catalog, "echo", "Without lines of its own, it takes those of an earlier card with {}."
        )
    readings = [other_reading(catalog, invention, other) for other in invention.alternatives]
    sections: _Sections = [
        ("Cost", [f"{invention.cost} money"]),
        ("Rule", rule),
        ("Other readings", readings),
    ]
    data = {"rule": rule, "other_readings": readings, "used": used}
    return _description("invention", invention, [*sections, ("Used", used)], data)


def describe_twist(catalog: Catalog, twist: Twist) -> Description:
    """Explain a twist, for each edition apart where they differ."""
    editions = [edition for edition in catalog.editions if edition.id in twist.editions]
    per_edition = {edition.id: english.twist_rule(twist, edition) for edition in editions}
    rules = english.twist_rules(twist, editions)
    same = all(rule == rules for rule in per_edition.values())
    sections: _Sections = (
        [("Rule", rules)] if same else [(f"Rule in {edition}", rule) for edition, rule in per_edition.items()]
    )
    readings = [other_reading(catalog, twist, other) for other in twist.alternatives]
    used = [f"In {len(editions)} of {len(catalog.editions)} editions: {', '.join(per_edition)}."]
    never = [other.id for other in catalog.twists if not set(other.editions) & set(twist.editions)]
    if never:
        used.append(f"Never meets {', '.join(never)}: no edition has both.")
    fitted = not unfitted(catalog.policies, [twist])
    played = f"`learned` was {'' if fitted else 'not '}trained on this wording"
    used.append(f"{played}." if fitted else f"{played}; balance tune --twist {twist.id} does that.")
    data = {"rule": per_edition, "other_readings": readings, "used": used, "fitted": fitted}
    return _description("twist", twist, [*sections, ("Other readings", readings), ("Used", used)], data)


def describe_edition(catalog: Catalog, edition: Edition) -> Description:
    """Explain an edition."""
    rule = english.edition_rules(edition)
    words = [f"{term}: {word}" for term, word in edition.words.items() if word.casefold() != term]
    twists = [twist.id for twist in catalog.twists_of(edition.id)]
    count = f"{len(twists)} of {len(catalog.twists)}: "
    sections: _Sections = [
        ("Rule", rule),
        ("Its words", [", ".join(words)] if words else []),
        ("Inventions", [f"all {len(catalog.inventions)}"]),
        ("Twists", [count + ", ".join(twists)]),
    ]
    return _description("edition", edition, sections, {"rule": rule, "twists": twists})


def _description(kind: str, item: Item, sections: _Sections, data: dict[str, Any]) -> Description:
    source = v.CONFIDENCES[item.confidence]
    said = [f"{item.confidence}: {source}."]
    if kind == "invention" and item.confidence == "official":
        said.append("No rulebook prints a cost or VP; those rest on the transcriptions.")
    if item.name_source != "own":
        said.append(f"Name {item.name_source}: {v.NAME_SOURCES[item.name_source]}.")
    everything: _Sections = [
        *sections[:-1],
        ("Source", said),
        ("Note", [item.note] if item.note else []),
        sections[-1],
    ]
    title = f"{item.name} ({item.name_ru})" if item.name_ru else item.name
    return Description(
        title=f"{title}, {kind} {item.id}",
        sections=tuple((heading, tuple(paragraphs)) for heading, paragraphs in everything if paragraphs),
        data={"kind": kind, "id": item.id, **written(item), "confidence_meaning": source, **data},
    )


def _with_switch(catalog: Catalog, switch: str, sentence: str) -> list[str]:
    ids = [twist.id for twist in catalog.twists if getattr(twist.switches, switch)]
    return [sentence.format(", ".join(ids))] if ids else []


def other_reading(catalog: Catalog, item: Item, other: Item) -> str:
    """Say what another reading of a card has differently, or how another reading of a twist reads."""
    if isinstance(other, Twist):
        return " ".join(english.twist_rules(other, catalog.editions))
    assert isinstance(other, Invention)
    changed = changed_fields(item, other)
    said = [f"Cost {other.cost}."] if "cost" in changed else []
    if "vp" in changed or "vp_per_built" in changed:
        said.append(english.invention_value(other))
    if "self" in changed or "others" in changed:
        said += english.invention_lines(other)
    return " ".join(said) or "The same."


def rule_features(catalog: Catalog, edition: str, variants: Sequence[str]) -> dict[str, float]:
    """Return the figures of the rules in force that change play most."""
    twists = [catalog.twist(name) for name in variants]
    rules = changed_parameters(catalog.edition(edition), twists)
    costs = (-(-max(0, c.cost + rules["cost_change"]) // rules["cost_divisor"]) for c in catalog.inventions)
    return {
        "goal": float(rules["goal"]),
        "cost": sum(costs) / max(1, len(catalog.inventions)),
        "work_money": float(rules["work_money"]),
        "opening_cards": float(rules["opening_cards"]),
        "actions": float(rules["actions"] * rules["action_repeats"]),
        "effect_repeats": float(rules["effect_repeats"]),
        "lines": float(sum(len(twist.lines) for twist in twists)),
        "switches": float(sum(twist.switches != Switches() for twist in twists)),
    }
