"""Reports of a few figures in shapes drawn by lot: each must be read right or refused.

::

    python -m bench.report_shapes --cases 30000 --seed 1
"""

import argparse
import json
import sys
from random import Random

from sources.repair_shop.http.json_body import parse_json
from sources.repair_shop.reports.entries import Unreadable
from sources.repair_shop.reports.reading import read
from tests.reports.shapes import random_case, sparse


def main() -> int:
    """Print how many were right, refused and wrong; 1 when one was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=30_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    right = refused = wrong = 0
    for number in range(asked.cases):
        seed = asked.seed * 1_000_003 + number
        case = random_case(Random(seed))
        try:
            totals = read(
                parse_json(json.dumps(case.payload, default=float).encode()), case.question
            )
        except Unreadable:
            refused += 1
            continue
        if sparse(totals) == sparse(case.figures):
            right += 1
        else:
            wrong += 1
            print(
                f"wrong: seed {seed}, {case.where}: {json.dumps(case.payload, default=str)[:300]}"
            )
    print(f"{right} right, {refused} refused, {wrong} wrong of {asked.cases}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
