"""Reads metronome streams with aiohttp or httpx and prints CPU microseconds per event as JSON, one line per round."""
import asyncio
import json
import sys
import time

library, port, path, streams = sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
url = f"http://127.0.0.1:{port}{path}"
body = {"model": "metronome", "stream": True, "messages": []}
events = 0


def count(line: str) -> None:
    global events
    if not line.startswith("data: {"):
        return
    event = json.loads(line[6:])
    if event["choices"][0]["delta"].get("content"):
        events += 1


async def read_aiohttp(session) -> None:
    async with session.post(url, json=body) as response:
        async for line in response.content:
            count(line.decode())


async def read_httpx(client) -> None:
    async with client.stream("POST", url, json=body, timeout=None) as response:
        async for line in response.aiter_lines():
            count(line)


async def main() -> None:
    if library == "aiohttp":
        import aiohttp

        connector = aiohttp.TCPConnector(limit=0)
        async with aiohttp.ClientSession(connector=connector) as session:
            await asyncio.gather(*(read_aiohttp(session) for _ in range(streams)))
    else:
        import httpx

        limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
        async with httpx.AsyncClient(limits=limits) as client:
            await asyncio.gather(*(read_httpx(client) for _ in range(streams)))


started = time.process_time()
asyncio.run(main())
print(json.dumps({"cpuUsPerEvent": (time.process_time() - started) * 1e6 / events, "events": events}))
