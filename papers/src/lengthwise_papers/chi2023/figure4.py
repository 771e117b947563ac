"""Chi et al. (2023), Figure 4b: the receptive field of networks trained on natural language.

The runs are those of Table 3.
"""

from collections.abc import Sequence
from dataclasses import replace

from lengthwise.analysis.figures import Picture, receptive_field_figure
from lengthwise.text.problems.language_modelling.problem import FIELD
from lengthwise_papers.cells import cells, one_digit, run_name
from lengthwise_papers.chi2023.table3 import TABLE_3
from lengthwise_papers.experiment import Record, Statement, Table


def fields_table(records: Sequence[Record]) -> Table:
    """Return how many of the last tokens hold a half, and nine tenths, of the gradient."""
    rows = []
    for (row, column), of_cell in cells(records).items():
        field = of_cell[0]["tests"][FIELD]["field"]
        nine = sum(share < 0.9 for share in field["cumulated"]) + 1
        rows.append([row, column, f"{field['length']:,}", f"{field['half']:,}", f"{nine:,}"])
    return Table(["text", "column", "tokens", "half in the last", "90 % in the last"], rows)


def field_figures(records: Sequence[Record]) -> dict[str, Picture]:
    """Draw the cumulated gradient of the first seed, a line for each network."""
    curves = [
        {"language": column, "curves": [of_cell[0]["tests"][FIELD]["field"]]}
        for (_, column), of_cell in cells(records).items()
    ]
    return {"receptive-field": receptive_field_figure(curves)} if curves else {}


def check_fields(records: Sequence[Record]) -> list[Statement]:
    """Check what section 7.4 says, of each RegularGPT and seed."""
    curves = {
        run_name(run): run["tests"][FIELD]["field"]["cumulated"]
        for (_, column), of_cell in cells(records).items()
        for run in of_cell
        if " / " in column
    }
    if not curves:
        return []
    shares = {name: curve[len(curve) // 2 - 1] for name, curve in curves.items()}
    least = min(shares, key=lambda name: shares[name])
    return [
        Statement(
            where="section 7.4",
            says="nine tenths of RegularGPT's gradient fall on the last half of the tokens",
            holds=shares[least] >= 0.9,
            runs=len(shares),
            measured=f"at least {one_digit(100 * shares[least])} % ({least})",
        )
    ]


FIGURE_4 = replace(
    TABLE_3,
    item="Figure 4b",
    claim="On natural language RegularGPT settles on a local window.",
    printed="A curve of cumulated gradient norms that is flat except for the most recent tokens.",
    table=fields_table,
    more={},
    figures=field_figures,
    judge=check_fields,
    runs_of="chi2023/table3",
)
