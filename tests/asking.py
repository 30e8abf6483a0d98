"""Ready queries on a connection with views, without the gate."""

from balance.dataset.saved_queries import bind


def ask(con, question, arguments=None):
    """Return the answer as a relation: `.fetchall()`, or `polars.DataFrame(ask(...))`."""
    return con.sql(question.sql, params=bind(con, question, arguments))
