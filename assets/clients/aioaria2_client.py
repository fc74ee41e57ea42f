"""aioaria2: over HTTP, and over a WebSocket with callbacks."""

import asyncio

import aioaria2

from world import SMALL, check, run


async def over_http(world):
    url = f"http://127.0.0.1:{world.port}/jsonrpc"
    async with aioaria2.Aria2HttpClient(url, token=world.secret) as client:
        gid = await client.addUri([world.origin + "/small.bin"], {"out": "http.bin"})
        for _ in range(400):
            status = await client.tellStatus(gid)
            if status["status"] == "complete":
                break
            await asyncio.sleep(0.05)
        check("a file over HTTP", open(status["files"][0]["path"], "rb").read() == SMALL)
        check("numbers are texts", status["totalLength"] == str(len(SMALL)))
        result = await client.multicall([
            {"methodName": "aria2.getGlobalStat", "params": [f"token:{world.secret}"]},
            {"methodName": "aria2.tellStatus", "params": [f"token:{world.secret}", "zz"]}])
        check("multicall", result[0][0]["numStopped"] == "1" and result[1]["code"] == 1)


async def over_socket(world):
    url = f"http://127.0.0.1:{world.port}/jsonrpc"
    told = asyncio.Queue()
    client = await aioaria2.Aria2WebsocketClient.new(url, token=world.secret)

    @client.onDownloadStart
    async def started(trigger, data):
        await told.put(("start", data["params"][0]["gid"]))

    @client.onDownloadComplete
    async def completed(trigger, data):
        await told.put(("complete", data["params"][0]["gid"]))

    gid = await client.addUri([world.origin + "/small.bin"], {"out": "socket.bin"})
    events = [await asyncio.wait_for(told.get(), 20) for _ in range(2)]
    check("callbacks", events == [("start", gid), ("complete", gid)])
    try:
        await client.tellStatus("0123456789abcdef")
        check("an unknown download is refused", False)
    except aioaria2.exceptions.Aria2rpcException as problem:
        check("an unknown download is refused", "is not found" in str(problem))
    check("the position", await changed(client, world) == 0)
    await client.close()


async def changed(client, world):
    gids = [
        await client.addUri([world.origin + "/big.bin"], {"pause": "true"}) for _ in range(2)]
    return await client.changePosition(gids[1], 0, "POS_SET")


def body(world):
    asyncio.run(over_http(world))
    asyncio.run(over_socket(world))


run(body)
