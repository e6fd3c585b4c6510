"""The description of the interface, made from the tables that the routes are made from.

OpenAPI 3.0, which is all that the explorer's packaged page reads.
"""

import copy
import re
from typing import Any

from sandbox.filters import Filter
from sandbox.lists import CUSTOM_FIELD_TYPES, ListEndpoint
from sandbox.routes import PREFIX, Route
from sandbox.values import DAY
from sandbox.writes import ROUTES

# Empty is the default of the common parameters (specification, Common conventions), so an empty
# value is taken for none everywhere but in numbers.
_BOOL = ["true", "false", "True", "False", "Yes", "No", "1", "0", ""]
# No examples: the explorer would send them along with every request.
_DAY_SCHEMA = {"type": "string", "pattern": f"^({DAY})?$", "description": "dd-mmm-yyyy"}


def document() -> dict[str, Any]:
    """Describe every route."""
    paths: dict[str, dict[str, Any]] = {}
    for route in ROUTES:
        paths.setdefault(route.template, {})[route.method.lower()] = operation(route)
    return {
        "openapi": "3.0.3",
        "info": {
            "title": "Repair shop sandbox",
            "version": "1",
            "description": "A local stand-in for the repair-shop service. Shapes vary with the "
            "shop's quirks; what stands here is the plain shop.",
        },
        "servers": [{"url": PREFIX}],
        "security": [{"key": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "Authorization"}},
            "schemas": {
                "Error": {
                    "type": "object",
                    "properties": {"error": {"type": "string"}},
                    "required": ["error"],
                },
                "Record": {"type": "object"},
                "Records": {"type": "array", "items": {"$ref": "#/components/schemas/Record"}},
                "Id": {
                    "type": "object",
                    "properties": {"id": {"anyOf": [{"type": "string"}, {"type": "integer"}]}},
                    "required": ["id"],
                    "additionalProperties": False,
                },
            },
        },
    }


def operation(route: Route) -> dict[str, Any]:
    """Describe one route."""
    parameters = [_path_parameter(name) for name in re.findall(r"\{(\w+)\}", route.template)]
    schema = "Record"
    if route.row is not None:
        parameters += _list_parameters(route.row)
        schema = "Records"
    elif route.tag == "Reports":
        parameters += _report_parameters(route.template)
        schema = "Records"
    elif route.template.endswith("/itemLines"):
        schema = "Records"
    described: dict[str, Any] = {
        "summary": route.summary,
        "tags": [route.tag],
        "operationId": operation_id(route),
        "parameters": parameters,
        "responses": _responses(route, schema),
    }
    if route.body is not None:
        described["requestBody"] = {
            "required": True,
            "content": {kind: copy.deepcopy(media) for kind, media in route.body.items()},
        }
    return described


def operation_id(route: Route) -> str:
    """Name of an operation: its method and the words of its path."""
    words = re.findall(r"\w+", route.template)
    return route.method.lower() + "".join(word[:1].upper() + word[1:] for word in words)


def _responses(route: Route, schema: str) -> dict[str, Any]:
    def content(name: str) -> dict[str, Any]:
        reference = {"schema": {"$ref": f"#/components/schemas/{name}"}}
        # The layout of XML is not shown in the specification; any well-formed one will do.
        return {"application/json": reference, "application/xml": {}}

    errors = {
        status: {"description": text, "content": content("Error")}
        for status, text in (
            ("400", "A rule of the specification is broken"),
            ("401", "No valid key"),
            ("404", "No such record"),
            ("429", "Too many requests"),
        )
    }
    if route.method == "GET":
        return {"200": {"description": "Found", "content": content(schema)}, **errors}
    if route.method == "DELETE":
        return {"200": {"description": "Deleted"}, **errors}
    status = "201" if route.creates else "200"
    good = {"description": "Done", "content": content("Id")}
    too_large = {"description": "The body is too large", "content": content("Error")}
    media = {"description": "Not the content type asked for", "content": content("Error")}
    return {status: good, **errors, "413": too_large, "415": media}


def _path_parameter(name: str) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string", "minLength": 1}
    if name == "type":
        schema = {"type": "string", "enum": list(CUSTOM_FIELD_TYPES)}
    return {"name": name, "in": "path", "required": True, "schema": schema}


def _parameter(name: str, schema: dict[str, Any], note: str = "") -> dict[str, Any]:
    described = {"name": name, "in": "query", "required": False, "schema": schema}
    return {**described, "description": note} if note else described


def _list_parameters(row: ListEndpoint) -> list[dict[str, Any]]:
    described = [_parameter("page", {"type": "integer", "minimum": 1, "default": 1})]
    if row.sort:
        schema = {"type": "string", "enum": [*row.sort, ""], "default": row.default_sort}
        described.append(_parameter("sort", schema))
    if row.search:
        described.append(_parameter("searchKeyword", {"type": "string"}))
    if row.created:
        described += [_parameter(f"createdDate{end}", _DAY_SCHEMA) for end in ("From", "To")]
    described += [_parameter(one.name, _filter_schema(one), one.note) for one in row.filters]
    flag = {"type": "string", "enum": _BOOL, "default": "false"}
    return described + [_parameter(name, flag) for name, _ in row.include]


def _filter_schema(one: Filter) -> dict[str, Any]:
    match one.kind:
        case "choice":
            return {"type": "string", "enum": [*one.values, ""]}
        case "flag":
            return {"type": "string", "enum": _BOOL}
        case "from" | "to":
            return _DAY_SCHEMA
        case "condition":
            return {"type": "string", "enum": ["EQUAL", "NOT-EQUAL", ""], "default": "EQUAL"}
        case "number":
            return {"type": "integer", "default": 0}
        case "ids":
            return {"type": "array", "items": {"type": "string"}}
        case _:
            return {"type": "string"}


def _report_parameters(template: str) -> list[dict[str, Any]]:
    if template.startswith("/monthly"):
        year = {"type": "string", "pattern": "^((19|20)[0-9]{2})?$"}
        return [_parameter("year", year)]
    return [_parameter(name, _DAY_SCHEMA) for name in ("dateFrom", "dateTo")]
