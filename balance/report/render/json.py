"""An answer as JSON: its records, and every table and figure with its columns, rows and source."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from decimal import Decimal
from enum import Enum
from typing import Any

from balance.report.model import Answer, Block, Bullets, Chart, Code, Paragraph, Section, Table, plain


def render(answer: Answer) -> str:
    """Return an answer as the text of one JSON document."""
    return json.dumps(document(answer), ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def document(answer: Answer) -> dict[str, Any]:
    """Return an answer as plain values; what has no finite value is None."""
    blocks = list(answer.blocks())
    found = {
        **answer.records,
        "kind": answer.kind,
        "title": answer.title,
        "subtitle": answer.subtitle,
        "game": answer.game,
        "edition": answer.edition,
        "headline": answer.summary.headline,
        "warning": answer.summary.warning,
        "counts": [asdict(one) for one in answer.summary.counts],
        "worst": [asdict(one) for one in answer.summary.worst],
        "bent": [asdict(one) for one in answer.summary.bent],
        "play": answer.summary.play,
        "verdicts": list(answer.verdicts),
        answer.listed: list(answer.findings),
        "tables": [_shown(block) for block in blocks if isinstance(block, Table)],
        "figures": [_shown(block) for block in blocks if isinstance(block, Chart)],
        "sections": [_section(section) for section in answer.sections],
        "next": list(answer.summary.next_steps),
        "provenance": asdict(answer.provenance),
    }
    return {key: plain_value(value) for key, value in (found | dict(answer.records)).items()}


def _shown(block: Table | Chart) -> dict[str, Any]:
    """Return a table or a figure with its columns, rows and source."""
    columns, rows = block.data() if isinstance(block, Table) else block.raw or (
        tuple(block.data), tuple(zip(*block.data.values(), strict=True))
    )  # fmt: skip
    return {
        "id": block.id,
        "title": plain(block.caption),
        **({"kind": block.kind} if isinstance(block, Chart) else {}),
        "columns": list(columns),
        "rows": [list(row) for row in rows],
        "note": plain(block.note),
        "source": asdict(block.source),
    }


def _section(section: Section) -> dict[str, Any]:
    return {
        "id": section.id,
        "title": section.title,
        "blocks": [_block(block) for block in section.blocks],
        "sections": [_section(part) for part in section.sections],
    }


def _block(block: Block) -> dict[str, Any]:
    match block:
        case Paragraph(text):
            return {"text": plain(text)}
        case Bullets(items):
            return {"items": list(map(plain, items))}
        case Code(text, _):
            return {"code": text}
        case Table():
            return {"table": block.id}
        case Chart():
            return {"figure": block.id}


def plain_value(value: object) -> Any:
    """Reduce a value to what JSON and Parquet know; what is not a finite number is None."""
    match value:
        case Enum():
            return plain_value(value.value)
        case float() | Decimal():
            return float(value) if math.isfinite(value) else None
        case None | bool() | int() | str():
            return value
        case Mapping():
            return {str(plain_value(key)): plain_value(item) for key, item in value.items()}
        case Iterable():
            return [plain_value(item) for item in value]
    if hasattr(value, "item"):  # a number of NumPy's
        return plain_value(value.item())
    return str(value)
