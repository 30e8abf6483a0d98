"""What a file of weights says of itself; read without NumPy."""

import io
import json
import zipfile
from typing import Any, Final

NOTE: Final = "note.json"
MOST_CHARACTERS: Final = 1_000_000


def weights_note(data: bytes) -> dict[str, Any]:
    """Return the note in a file of weights: layout, features and training; ValueError if it has none."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            if file.getinfo(NOTE).file_size > MOST_CHARACTERS:
                raise ValueError("its note is too long")
            return dict(json.loads(file.read(NOTE)))
    except (zipfile.BadZipFile, KeyError, EOFError, RecursionError, TypeError) as error:
        raise ValueError(f"no weights: {error}") from error
