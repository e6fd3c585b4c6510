"""A process of its own that asks as fast as it is allowed: ``budget-file base-url requests``."""

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pipelines.settings import ShopSettings
from sources.repair_shop.budget import Budget
from sources.repair_shop.http.client import Client


def main(path: str, base_url: str, requests: int) -> None:
    shop = ShopSettings.model_validate(
        {
            "name": "main",
            "base_url": base_url,
            "api_key": "shared",
            "requests_per_minute": 10,
            "minute_seconds": 1.0,
            "timeout_seconds": 5.0,
        }
    )
    with Client(shop, Budget(Path(path))) as client, ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda _: client.get("/customers"), range(requests)))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
