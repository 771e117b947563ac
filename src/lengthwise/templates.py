"""Templates of pages: read from the package that they belong to, with everything escaped."""

from collections.abc import Callable
from functools import cache

from jinja2 import Environment, PackageLoader, Template


@cache
def template(package: str, name: str, **filters: Callable[..., str]) -> Template:
    """Return a template from the folder of a package, in which `filters` can be used."""
    environment = Environment(
        loader=PackageLoader(package, "."),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(filters)
    return environment.get_template(name)
