"""pyaria2, which speaks XML-RPC only."""

import base64
import xmlrpc.client

import pyaria2

from world import SMALL, check, run, until


def body(world):
    url = f"http://127.0.0.1:{world.port}/rpc"
    client = pyaria2.Aria2RPC(url=url, token=world.secret)
    server = xmlrpc.client.ServerProxy(url)
    gid = client.addUri([world.origin + "/small.bin"], {"out": "xml.bin"})
    status = until("the file is complete", lambda: (
        lambda row: row if row["status"] == "complete" else None)(client.tellStatus(gid)))
    check("a file over XML-RPC", open(status["files"][0]["path"], "rb").read() == SMALL)
    check("statistics", client.getGlobalStat()["numStopped"] == "1")
    metalink = f"""<?xml version="1.0" encoding="UTF-8"?>
<metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="meta.bin">
<url>{world.origin}/small.bin</url></file></metalink>"""
    gids = server.aria2.addMetalink(
        "token:" + world.secret, xmlrpc.client.Binary(metalink.encode()))
    until("the Metalink's file", lambda: client.tellStatus(gids[0])["status"] == "complete")
    check("a Metalink", len(gids) == 1)
    paused = client.addUri([world.origin + "/big.bin"], {"pause": "true", "out": "paused.bin"})
    try:
        client.pause(paused)
        check("a second pause is refused", False)
    except xmlrpc.client.Fault as fault:
        check("a second pause is refused", fault.faultString.endswith("cannot be paused now"))
    check("unpause", client.unpause(paused) == paused)
    check("remove", client.remove(paused) == paused)
    check("methods", "aria2.addUri" in client.listMethods())
    try:
        server.aria2.getVersion("token:wrong")
        check("a wrong secret is refused", False)
    except xmlrpc.client.Fault as fault:
        check("a wrong secret is refused", fault.faultString == "Unauthorized")
    result = server.system.multicall([
        {"methodName": "aria2.getVersion", "params": ["token:" + world.secret]},
        {"methodName": "aria2.tellStatus", "params": ["token:" + world.secret, "x"]}])
    check("multicall", "version" in result[0][0] and result[1]["faultCode"] == 1)


run(body)
