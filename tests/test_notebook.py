"""docs/examples/notebook.ipynb runs from top to bottom, and shows what its stored outputs show."""

import ast
import contextlib
import io
import json

import pytest

import balance


def shown(source, names):
    """Run a cell and return what a notebook prints and shows below it."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last else None
    outputs = []
    if printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": printed.getvalue()})
    if value is not None:
        data = {"text/plain": repr(value)}
        outputs.append(
            {"data": data, "execution_count": None, "metadata": {}, "output_type": "execute_result"}
        )
    return outputs


def test_the_notebook_shows_what_it_computes(checkout, tmp_path, monkeypatch, request):
    file = checkout / "docs" / "examples" / "notebook.ipynb"
    notebook = json.loads(file.read_text(encoding="utf-8"))
    monkeypatch.chdir(tmp_path)
    names = {}
    stored = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    found = [shown(cell["source"], names) for cell in stored]
    if request.config.getoption("--update-goldens"):
        for cell, outputs in zip(stored, found, strict=True):
            cell["outputs"] = outputs
        file.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    assert found == [cell["outputs"] for cell in stored]
    assert len(found) >= 5


@pytest.mark.parametrize("name", [name for name in balance.__all__ if name != "__version__"])
def test_the_page_of_the_api_names_everything(name, checkout):
    assert f"`{name}" in (checkout / "docs" / "api.md").read_text(encoding="utf-8")
