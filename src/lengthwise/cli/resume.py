"""The command `resume`: continues a stopped run with the settings in its folder."""

import argparse
from pathlib import Path

from lengthwise.cli.output import add_device, add_json
from lengthwise.cli.train import one_speaks, train_and_tell
from lengthwise.errors import RunError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the run folder to the parser."""
    parser.add_argument("out", type=Path, metavar="DIR", help="the folder of a stopped run")
    parser.add_argument(
        "--tensorboard", type=Path, metavar="DIR", help="write figures for TensorBoard to DIR"
    )
    add_device(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Train to the end, or find that training has ended."""
    from lengthwise.problems.capabilities import Distributed
    from lengthwise.problems.planning import plan_from_dict
    from lengthwise.training.construction_files import is_compiled
    from lengthwise.training.distributed import require_alone
    from lengthwise.training.runs import RunFolder

    with one_speaks():
        config = RunFolder(arguments.out).config()
        if is_compiled(config):
            raise RunError(
                f"{arguments.out} holds computed weights, which are not trained. Use verify."
            )
        plan = plan_from_dict(config)
        if not isinstance(plan.problem, Distributed):
            require_alone(plan.problem.noun)
        train_and_tell(plan, arguments)
