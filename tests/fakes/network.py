"""The network of a service in this process: ``push(transport=lambda shop: InProcess(one))``."""

from dataclasses import dataclass

import httpx

from sources.repair_shop.http.wire import from_wire


@dataclass
class InProcess:
    """Asks a transport as :class:`sources.repair_shop.http.wire.Network` asks the wire."""

    transport: httpx.BaseTransport

    def exchange(
        self, request: httpx.Request, path: str, most: int
    ) -> tuple[int, httpx.Headers, bytes]:
        """One request, whose answer may be lost."""
        try:
            answer = self.transport.handle_request(request)
        except httpx.TransportError as error:
            raise from_wire(error, request.method, path, "the shop") from error
        return answer.status_code, answer.headers, answer.content

    def close(self) -> None:
        """There is no connection."""
