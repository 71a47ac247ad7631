"""Serves a folder with faults: faulty_server.py FOLDER FAULTS

A line of the file FAULTS has a part of the paths that it concerns, and a fault: `page`, that of a captive portal, which
browsers may keep for an hour; `redirect`, to that page; `vary`, a header by which browsers store nothing; `hang`, no
response; or a status. It is read for each request. The path /log has a line for each response, with its status.
Responses without a fault are not cached, so that the browser asks for them each time."""

import functools
import http.server
import sys
import time
from pathlib import Path

PAGE = b"<!doctype html><title>Portal</title><p>Log in to use this network."


responses = []


class Handler(http.server.SimpleHTTPRequestHandler):
    is_faulty = True
    varies = False

    def do_GET(self):
        if self.path == "/log":
            self.send_response(200)
            self.end_headers()
            self.wfile.write("\n".join(responses).encode())
            return
        faults = (line.split() for line in Path(sys.argv[2]).read_text().splitlines())
        fault = next((fault for part, fault in faults if part in self.path), None)
        if fault == "page" or self.path == "/portal":
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(PAGE)))
            self.send_header("Cache-Control", "max-age=3600")
            self.end_headers()
            self.wfile.write(PAGE)
        elif fault == "redirect":
            self.send_response(302)
            self.send_header("Location", "/portal")
            self.send_header("Content-Length", "0")
            self.end_headers()
        elif fault == "hang":
            time.sleep(600)
        elif fault and fault != "vary":
            self.send_error(int(fault))
        else:
            self.is_faulty = False
            self.varies = fault == "vary"
            super().do_GET()

    def end_headers(self):
        if not self.is_faulty:
            self.send_header("Cache-Control", "no-store")
        if self.varies:
            self.send_header("Vary", "*")
        super().end_headers()

    def log_request(self, code="-", size="-"):
        if self.path != "/log":
            responses.append(f"{self.path} {int(code)}")


handler = functools.partial(Handler, directory=sys.argv[1])
with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
    print(f"Serving files (http://127.0.0.1:{server.server_port}/)", flush=True)
    server.serve_forever()
