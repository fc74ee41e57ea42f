"""Runs zenodo_get with another server in the place of zenodo.org, as an entry of /etc/hosts would.

    python3 zenodo_client.py PORT ARGUMENTS...

zenodo_get has no option for it. Its requests, and their Host header fields, stay as they are; only the
connection leads to 127.0.0.1:PORT, without TLS.
"""
import sys
import httpx2
from zenodo_get.zget import cli

port = int(sys.argv[1])
send = httpx2.HTTPTransport.handle_request


def send_here(transport, request):
    if request.url.host == "zenodo.org":
        request.url = request.url.copy_with(scheme="http", host="127.0.0.1", port=port)
    return send(transport, request)


httpx2.HTTPTransport.handle_request = send_here
cli(sys.argv[2:])
