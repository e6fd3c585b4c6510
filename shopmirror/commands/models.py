"""``shopmirror models``: the SQL models, to be edited and built by dbt."""

import shutil
from pathlib import Path
from typing import Annotated

import typer

from pipelines.transform.models import copy_project
from shopmirror.consoles import CommandError, say


def models(
    to: Annotated[Path, typer.Option("--to", metavar="DIR", help="Where they are to lie; new.")],
) -> None:
    """Write the models as a dbt project of your own, to be edited.

    Name the folder as \\[warehouse] models in the settings: from then on dbt builds it each night.
    """
    try:
        copy_project(to)
    except FileExistsError:
        raise CommandError(f"{to} is there already; name a new folder.") from None
    except shutil.Error as error:  # of each file, with the same reason
        shutil.rmtree(to, ignore_errors=True)
        reason = error.args[0][0][2].partition(":")[0]
        raise CommandError(f"{to} cannot be written: {reason}.") from None
    say(
        f"The models are in {to}. With 'models = \"{to}\"' under [warehouse] in .dlt/config.toml "
        "each sync builds them with dbt (pip install 'shopmirror[dbt]')."
    )
