"""The document of the API, and a page to try it out: no file of it comes from elsewhere."""

from pathlib import Path

import flask_swagger_ui
from flask import Response, current_app, send_from_directory

from spades.api.contract import ASSET, OPENAPI, READ_ASSET, READ_DOCS
from spades.api.document import document_bytes
from spades.api.errors import RouteNotFound
from spades.api.operations import Operations

SWAGGER_UI = Path(flask_swagger_ui.__file__).parent / "dist"
ASSETS = ("swagger-ui.css", "swagger-ui-bundle.js", "favicon-32x32.png")
SCRIPT = "start.js"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline';"
    " img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none';"
    " frame-ancestors 'none'"
)
PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Spades Service</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
</head>
<body>
<div id="swagger-ui"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
"""
START = """\
SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#swagger-ui",
  deepLinking: true,
  validatorUrl: null,
  tryItOutEnabled: true,
});
"""

pages = Operations("documentation", "The contract, for machines and for people.")


@pages.operation("GET", "/openapi.json", OPENAPI)
def openapi() -> Response:
    """Serves the OpenAPI document."""
    return Response(document_bytes(current_app), mimetype="application/json")


@pages.operation("GET", "/docs", READ_DOCS)
def docs() -> Response:
    """Serves the page that shows the document."""
    headers = {"Content-Security-Policy": POLICY, "Referrer-Policy": "no-referrer"}
    return Response(PAGE, headers=headers, mimetype="text/html")


@pages.operation("GET", "/docs/<asset>", READ_ASSET, ASSET)
def docs_asset(asset: str) -> Response:
    """Serves a file of that page."""
    if asset == SCRIPT:
        return Response(START, mimetype="text/javascript")
    if asset not in ASSETS:
        raise RouteNotFound()
    return send_from_directory(SWAGGER_UI, asset, max_age=3600)
