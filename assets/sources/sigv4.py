"""Stands before a server of S3, and lets only signed requests pass (AWS Signature Version 4).

    python3 sigv4.py PORT PORT_OF_SERVER REGION ACCESS_KEY:SECRET_KEY[:SESSION_TOKEN]...

It verifies what docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html describes, in the
header field Authorization only, and answers as Amazon does what it refuses. boto3 and s3cmd pass it, and
fail with a wrong secret, before Kettle is tried. Each refused request is a line on standard error, and each
other one on standard output. What the file that SIGV4_DELAY names says is how many seconds each PUT takes.
"""
import calendar, hashlib, hmac, http.client, os, re, sys, time, urllib.parse
from xml.sax.saxutils import escape
from answers import Answers, serve


class Refused(Exception):
    def __init__(self, status, code, message, **elements):
        super().__init__(code)
        self.status, self.code = status, code
        self.elements = {"Code": code, "Message": message, **elements}

    def xml(self):
        elements = "".join(f"<{name}>{escape(text)}</{name}>" for name, text in self.elements.items())
        return f'<?xml version="1.0" encoding="UTF-8"?>\n<Error>{elements}<RequestId>1</RequestId></Error>'.encode()


# MARK: The specification


def encoded(text, safe=""):
    """UriEncode of the specification, whatever the client has encoded itself."""
    return urllib.parse.quote(urllib.parse.unquote_to_bytes(text), safe=safe)


def canonical_request(method, target, fields, signed, payload):
    """fields: pairs of a name and a value, as they came. signed: names in lower case."""
    path, _, query = target.partition("?")
    pairs = sorted(tuple(map(encoded, pair.partition("=")[::2])) for pair in query.split("&") if pair)
    values = {}
    for name, value in fields:
        values.setdefault(name.lower(), []).append(re.sub(" +", " ", value.strip()))
    lines = [method, encoded(path, safe="/"), "&".join(f"{name}={value}" for name, value in pairs)]
    lines += [f"{name}:{','.join(values.get(name, []))}" for name in signed]
    return "\n".join([*lines, "", ";".join(signed), payload])


def string_to_sign(moment, scope, request):
    return "\n".join(["AWS4-HMAC-SHA256", moment, scope, hashlib.sha256(request.encode()).hexdigest()])


def signature(secret, scope, text):
    key = ("AWS4" + secret).encode()
    for part in [*scope.split("/"), text]:
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return key.hex()


def check_the_example():
    """The first example of the specification, "GET Object"."""
    empty = hashlib.sha256(b"").hexdigest()
    fields = [
        ("Host", "examplebucket.s3.amazonaws.com"),
        ("Range", "bytes=0-9"),
        ("x-amz-content-sha256", empty),
        ("x-amz-date", "20130524T000000Z"),
    ]
    signed = ["host", "range", "x-amz-content-sha256", "x-amz-date"]
    scope = "20130524/us-east-1/s3/aws4_request"
    text = string_to_sign("20130524T000000Z", scope, canonical_request("GET", "/test.txt", fields, signed, empty))
    found = signature("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", scope, text)
    assert found == "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41", found


# MARK: What is refused


AUTHORIZATION = re.compile(
    r"AWS4-HMAC-SHA256 +Credential=([^/]+)/(\d{8}/([^/]+)/s3/aws4_request),"
    r" *SignedHeaders=([a-z0-9;-]+), *Signature=([0-9a-f]{64})$"
)


def verify(method, target, fields, body):
    header = {name.lower(): value for name, value in fields}
    if "authorization" not in header:
        raise Refused(403, "AccessDenied", "Access Denied")
    match = AUTHORIZATION.match(header["authorization"])
    if not match:
        raise Refused(400, "AuthorizationHeaderMalformed", "The authorization header is malformed.")
    access, scope, its_region, signed, given = match.groups()
    signed = signed.split(";")
    if access not in keys:
        message = "The AWS Access Key Id you provided does not exist in our records."
        raise Refused(403, "InvalidAccessKeyId", message, AWSAccessKeyId=access)
    secret, token = keys[access]
    if its_region != region:
        message = f"The authorization header is malformed; the region '{its_region}' is wrong; expecting '{region}'"
        raise Refused(400, "AuthorizationHeaderMalformed", message, Region=region)
    check_token(header.get("x-amz-security-token"), token)
    missing = [name for name in header if (name == "host" or name.startswith("x-amz-")) and name not in signed]
    if missing or signed != sorted(signed):
        message = "There were headers present in the request which were not signed"
        raise Refused(403, "AccessDenied", message, HeadersNotSigned=", ".join(missing))
    absent = [name for name in signed if name not in header]
    if absent:
        message = "The request signature we calculated does not match the signature you provided."
        raise Refused(403, "SignatureDoesNotMatch", message, HeadersNotSent=", ".join(absent))
    moment = header.get("x-amz-date", "")
    check_moment(moment, scope)
    payload = header.get("x-amz-content-sha256", "")
    check_payload(payload, body)
    request = canonical_request(method, target, fields, signed, payload)
    text = string_to_sign(moment, scope, request)
    if not hmac.compare_digest(signature(secret, scope, text), given):
        message = "The request signature we calculated does not match the signature you provided."
        parts = {"StringToSign": text, "SignatureProvided": given, "CanonicalRequest": request}
        raise Refused(403, "SignatureDoesNotMatch", message, AWSAccessKeyId=access, **parts)


def check_token(given, token):
    if given != token:
        raise Refused(400, "InvalidToken", "The provided token is malformed or otherwise invalid.")


def check_moment(moment, scope):
    if not re.match(r"\d{8}T\d{6}Z$", moment) or moment[:8] != scope[:8]:
        raise Refused(403, "AccessDenied", "AWS authentication requires a valid Date or x-amz-date header")
    if abs(calendar.timegm(time.strptime(moment, "%Y%m%dT%H%M%SZ")) - time.time()) > 900:
        message = "The difference between the request time and the current time is too large."
        raise Refused(403, "RequestTimeTooSkewed", message)


def check_payload(payload, body):
    if not payload:
        message = "Missing required header for this request: x-amz-content-sha256"
        raise Refused(400, "InvalidRequest", message)
    if payload.startswith("STREAMING-"):
        raise Refused(501, "NotImplemented", "A header you provided implies functionality that is not implemented")
    if payload not in ("UNSIGNED-PAYLOAD", hashlib.sha256(body).hexdigest()):
        message = "The provided 'x-amz-content-sha256' header does not match what was computed."
        raise Refused(400, "XAmzContentSHA256Mismatch", message)


# MARK: The server


class Handler(Answers):
    def do_GET(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            verify(self.command, self.path, self.headers.items(), body)
        except Refused as refused:
            print(self.command, self.path, refused.code, file=sys.stderr, flush=True)
            return self.answer(refused.status, refused.xml(), [("Content-Type", "application/xml")])
        self.pass_on(body)

    do_POST = do_PUT = do_DELETE = do_GET

    def pass_on(self, body):
        delay = os.environ.get("SIGV4_DELAY")
        if delay and self.command == "PUT" and os.path.exists(delay):
            time.sleep(float(open(delay).read()))
        server = http.client.HTTPConnection("127.0.0.1", server_port)
        server.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
        for name, value in self.headers.items():
            if name.lower() not in ("connection", "expect"):
                server.putheader(name, value)
        server.endheaders(body)
        response = server.getresponse()
        data = response.read()
        print(self.command, self.path, response.status, flush=True)
        self.send_response_only(response.status, response.reason)
        for name, value in response.getheaders():
            if name.lower() not in ("connection", "transfer-encoding", "content-length"):
                self.send_header(name, value)
        is_head = self.command == "HEAD"
        self.send_header("Content-Length", response.getheader("Content-Length", "0") if is_head else str(len(data)))
        self.end_headers()
        self.wfile.write(data)
        server.close()


check_the_example()
port, server_port, region = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
keys = {}
for text in sys.argv[4:]:
    access_key, secret_key, *session_token = text.split(":", 2)
    keys[access_key] = secret_key, (session_token[0] if session_token else None)
serve(port, Handler)
