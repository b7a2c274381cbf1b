#!/usr/bin/env python3
"""Signs random requests with the libraries of others: botocore, oss2, alibabacloud-oss-v2 and google-cloud-storage.

    other-signers.py SEED COUNT

Prints COUNT requests for each kind of signature, a JSON object on each line, with what the library makes of it. `compare`
says how that is compared: the whole URL, the URL with its parameters sorted, the whole field Authorization, or only the
signature in it. Nothing is sent.
"""

import datetime
import hashlib
import json
import random
import string
import sys
from email.utils import format_datetime
from urllib.parse import quote

import alibabacloud_oss_v2.signer.v1 as alibaba1
import alibabacloud_oss_v2.signer.v4 as alibaba4
import botocore.auth
import botocore.session
import oss2
import oss2.auth
import oss2.utils
from alibabacloud_oss_v2.credentials import Credentials as AlibabaCredentials
from alibabacloud_oss_v2.types import HttpRequest, SigningContext
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.credentials import Credentials
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from google.cloud.storage import _signing as google
from google.oauth2 import service_account

LETTERS = string.ascii_letters + string.digits
KEYS = LETTERS + "//  ++%%~-_.,;:@!$&'()*=?#[]{}<>|\\^`\"" + "äßéñ日本語Ω🙂\u0301\u00ad"


class Clock:
    """The moment at which everything is signed, in place of the clocks of the libraries."""

    now = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)

    @classmethod
    def utcnow(cls):
        return cls.now.replace(tzinfo=None)

    @classmethod
    def time(cls):
        return cls.now.timestamp()


botocore.auth.get_current_datetime = lambda *_: Clock.utcnow()
oss2.auth.datetime = Clock
oss2.auth.time = Clock
oss2.utils.http_date = lambda *_: format_datetime(Clock.now, True)


def word(draw, letters=LETTERS, least=1, most=20):
    return "".join(draw.choice(letters) for _ in range(draw.randint(least, most)))


def key_of(draw):
    """A key without segments of dots: those are sent in another way, so that no program resolves them."""
    while True:
        key = word(draw, KEYS, 1, 40) + draw.choice(LETTERS)
        if not {".", ".."} & set(key.split("/")) and not key.startswith("?"):
            return key


def value_of(draw):
    return " ".join(word(draw, LETTERS + "/=;:+*é日", 1, 8) for _ in range(draw.randint(1, 3)))


def headers_of(draw, prefix):
    names = ["Content-Type", "Content-MD5", "Cache-Control", "Range", "If-Match", "User-Agent"]
    names += [prefix + "meta-" + word(draw, LETTERS.lower()) for _ in range(2)]
    return {name: value_of(draw) for name in draw.sample(names, draw.randint(0, 4))}


def parameters_of(draw, names):
    chosen = draw.sample(names, draw.randint(0, min(4, len(names))))
    return {name: draw.choice(["", word(draw, KEYS, 1, 30)]) for name in chosen}


def case_of(draw, store, names):
    Clock.now = datetime.datetime.fromtimestamp(draw.randrange(1_000_000_000, 4_000_000_000), datetime.timezone.utc)
    scheme = draw.choice(["http", "https"])
    port = draw.choice(["", "", ":9000", ":443" if scheme == "http" else ":80"])
    return {
        "store": store,
        "version": "v4",
        "accessKey": word(draw, LETTERS, 16, 24),
        "secret": word(draw, LETTERS + "/+=", 30, 40),
        "token": draw.choice([None, word(draw, LETTERS + "/+=", 40, 80)]),
        "region": draw.choice(["us-east-1", "eu-central-1", "cn-hangzhou", "ap-southeast-5"]),
        "endpoint": f"{scheme}://{draw.choice(['s3.example.com', 'h', '10.1.2.3', 'a-b.c9.test'])}{port}",
        "style": draw.choice(["path", "virtual"]),
        "method": draw.choice(["GET", "PUT", "HEAD", "DELETE", "POST"]),
        "bucket": word(draw, string.ascii_lowercase + string.digits, 3, 20),
        "key": key_of(draw),
        "parameters": parameters_of(draw, names + [word(draw, LETTERS + "-._~ ", 3, 12) + "x"]),
        "headers": headers_of(draw, {"s3": "x-amz-", "oss": "x-oss-", "gs": "x-goog-"}[store]),
        "now": int(Clock.time()),
        "seconds": draw.randint(1, 604_800),
        "payload": None,
        "privateKey": None,
    }


def url_of(case):
    scheme, _, host = case["endpoint"].partition("://")
    key = quote(case["key"], safe="/~")
    if case["style"] == "path" or host.startswith("10."):
        return f"{scheme}://{host}/{case['bucket']}/{key}"
    return f"{scheme}://{case['bucket']}.{host}/{key}"


def query_of(case, keeps_equals):
    pairs = []
    for name, value in case["parameters"].items():
        equals = "=" if value or keeps_equals else ""
        pairs.append(quote(name, safe="") + equals + quote(value, safe=""))
    return "&".join(pairs)


def whole_url_of(case, keeps_equals):
    query = query_of(case, keeps_equals)
    return url_of(case) + ("?" + query if query else "")


# Amazon

AMAZON_NAMES = ["versionId", "partNumber", "uploadId", "uploads", "response-content-type", "list-type", "prefix"]


def amazon_request(case):
    return AWSRequest(method=case["method"], url=whole_url_of(case, True), headers=case["headers"])


def amazon_query(draw):
    case = case_of(draw, "s3", AMAZON_NAMES)
    request = amazon_request(case)
    credentials = Credentials(case["accessKey"], case["secret"], case["token"])
    botocore.auth.S3SigV4QueryAuth(credentials, "s3", case["region"], case["seconds"]).add_auth(request)
    return case | {"compare": "url", "expected": request.url}


def amazon_header(draw):
    case = case_of(draw, "s3", AMAZON_NAMES)
    request = amazon_request(case)
    credentials = Credentials(case["accessKey"], case["secret"], case["token"])
    if draw.choice([True, False]):
        body = word(draw).encode()
        request.data = body
        case["payload"] = hashlib.sha256(body).hexdigest()
    else:
        request.context["client_config"] = Config(s3={"payload_signing_enabled": False})
    signer = botocore.auth.S3SigV4Auth(credentials, "s3", case["region"])
    signer.add_auth(AWSPrepared(request, case))
    return case | {"compare": "authorization", "expected": request.headers["Authorization"]}


class AWSPrepared:
    """A request whose body is known, as the signer sees it."""

    def __init__(self, request, case):
        self.method, self.url, self.headers = request.method, request.url, request.headers
        self.params, self.context, self.body = {}, request.context, request.data or b""


CLIENTS = {}


def amazon_client(draw):
    """The whole way: the library finds the server, too."""
    case = case_of(draw, "s3", [])
    case["method"], case["headers"], case["token"] = "GET", {}, None
    case["region"] = draw.choice(["eu-central-1", "us-west-2", "cn-north-1"])
    case["bucket"] = draw.choice([case["bucket"], case["bucket"] + ".dots", "Upper_" + case["bucket"]])
    case["endpoint"] = draw.choice([None, "http://127.0.0.1:9000", "https://s3.example.com", "http://[::1]:8333"])
    case["style"] = "automatic"
    case["accessKey"], case["secret"] = "AKIAEXAMPLE", "secret"
    case["parameters"] = draw.choice([{}, {"versionId": word(draw, KEYS, 1, 30)}])
    place = (case["region"], case["endpoint"])
    if place not in CLIENTS:
        # Without this style the library signs URLs of most regions for its old global server.
        style = {"addressing_style": "virtual"} if case["endpoint"] is None else {}
        CLIENTS[place] = botocore.session.Session().create_client(
            "s3",
            region_name=case["region"],
            endpoint_url=case["endpoint"],
            aws_access_key_id=case["accessKey"],
            aws_secret_access_key=case["secret"],
            config=Config(signature_version="s3v4", s3=style),
        )
    wanted = {"Bucket": case["bucket"], "Key": case["key"]}
    if case["parameters"]:
        wanted["VersionId"] = case["parameters"]["versionId"]
    url = CLIENTS[place].generate_presigned_url("get_object", Params=wanted, ExpiresIn=case["seconds"])
    return case | {"compare": "url", "expected": url}


# Alibaba, by its older library

RESOURCE_NAMES = [
    "acl", "uploads", "uploadId", "partNumber", "versionId", "tagging", "append", "position",
    "response-content-type", "response-content-disposition", "response-expires", "continuation-token", "symlink",
]  # fmt: skip


def others(case):
    names = [name.lower() for name in case["headers"]]
    signed = [name for name in names if name not in ("content-type", "content-md5", "user-agent")]
    return [name for name in signed if not name.startswith("x-oss-")]


def old_bucket(case):
    kinds = {"v1": oss2.auth.ProviderAuth, "v4": oss2.auth.ProviderAuthV4}
    provider = oss2.credentials.StaticCredentialsProvider(case["accessKey"], case["secret"], case["token"])
    return oss2.Bucket(
        kinds[case["version"]](provider),
        case["endpoint"],
        case["bucket"],
        region=case["region"],
        is_path_style=case["style"] == "path",
        is_verify_object_strict=False,
    )


def old_query(version):
    def make(draw):
        case = case_of(draw, "oss", RESOURCE_NAMES) | {"version": version}
        url = old_bucket(case).sign_url(
            case["method"],
            case["key"],
            case["seconds"],
            headers=dict(case["headers"]),
            params=dict(case["parameters"]),
            slash_safe=True,
            additional_headers=others(case) if version == "v4" else None,
        )
        return case | {"compare": "sorted" if version == "v4" else "url", "expected": url}

    return make


def old_header(version):
    def make(draw):
        case = case_of(draw, "oss", RESOURCE_NAMES) | {"version": version}
        bucket = old_bucket(case)
        request = oss2.http.Request(
            case["method"],
            url_of(case),
            headers=dict(case["headers"]),
            params=dict(case["parameters"]),
            region=case["region"],
            product="oss",
        )
        more = [others(case)] if version == "v4" else []
        bucket.auth._sign_request(request, case["bucket"], case["key"], *more)
        compare = "signature" if version == "v4" else "authorization"
        return case | {"compare": compare, "expected": request.headers["authorization"]}

    return make


# Alibaba, by its newer library


def newer(version, in_query):
    def make(draw):
        case = case_of(draw, "oss", RESOURCE_NAMES) | {"version": version}
        if version == "v1" and not in_query:
            # This library leaves the token out of the signature.
            case["token"] = None
        context = SigningContext(
            product="oss",
            region=case["region"],
            bucket=case["bucket"],
            key=case["key"],
            request=HttpRequest(case["method"], whole_url_of(case, False), headers=dict(case["headers"])),
            credentials=AlibabaCredentials(case["accessKey"], case["secret"], case["token"]),
            signing_time=Clock.now,
            additional_headers=set(others(case)),
        )
        context.auth_method_query = in_query
        context.expiration_time = Clock.now + datetime.timedelta(seconds=case["seconds"])
        signer = alibaba4.SignerV4() if version == "v4" else alibaba1.SignerV1()
        signer.sign(context)
        if in_query:
            compare = "url" if version == "v4" else "sorted"
            return case | {"compare": compare, "expected": context.request.url}
        return case | {"compare": "authorization", "expected": context.request.headers["Authorization"]}

    return make


# Google

KEYS_OF_ACCOUNTS = []


def account_key():
    """A key for this run: making one takes long."""
    if not KEYS_OF_ACCOUNTS:
        key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        KEYS_OF_ACCOUNTS.append(key.private_bytes(*form).decode())
    return KEYS_OF_ACCOUNTS[0]


def google_query(draw):
    case = case_of(draw, "gs", ["generation", "response-content-type", "userProject", "uploads", "partNumber"])
    case["accessKey"] = word(draw, LETTERS.lower()) + "@project-1.iam.gserviceaccount.com"
    case["privateKey"], case["token"], case["region"], case["style"] = account_key(), None, "auto", "path"
    # This library can sign nothing else, and signs what others leave out.
    headers = {name: value.encode("ascii", "replace").decode() for name, value in case["headers"].items()}
    case["headers"] = {name: value for name, value in headers.items() if name != "User-Agent"}
    credentials = service_account.Credentials.from_service_account_info(
        {
            "client_email": case["accessKey"],
            "private_key": case["privateKey"],
            "token_uri": "https://oauth2.googleapis.com/token",
        }
    )
    url = google.generate_signed_url_v4(
        credentials,
        resource=f"/{case['bucket']}/{quote(case['key'], safe='/~')}",
        expiration=case["seconds"],
        api_access_endpoint=case["endpoint"],
        method=case["method"],
        headers=dict(case["headers"]),
        query_parameters=dict(case["parameters"]),
        _request_timestamp=Clock.now.strftime("%Y%m%dT%H%M%SZ"),
    )
    return case | {"compare": "sorted", "expected": url}


SIGNERS = {
    "botocore, query": amazon_query,
    "botocore, header": amazon_header,
    "botocore, client": amazon_client,
    "oss2, V1, query": old_query("v1"),
    "oss2, V1, header": old_header("v1"),
    "oss2, V4, query": old_query("v4"),
    "oss2, V4, header": old_header("v4"),
    "alibabacloud-oss-v2, V1, query": newer("v1", True),
    "alibabacloud-oss-v2, V1, header": newer("v1", False),
    "alibabacloud-oss-v2, V4, query": newer("v4", True),
    "alibabacloud-oss-v2, V4, header": newer("v4", False),
    "google-cloud-storage, query": google_query,
}


def main():
    seed, count = sys.argv[1], int(sys.argv[2])
    for name, make in SIGNERS.items():
        draw = random.Random(f"{seed} {name}")
        # RSA is slow in a build without optimization.
        for _ in range(count // 20 + 1 if make is google_query else count):
            case = make(draw)
            for member in ("parameters", "headers"):
                case[member] = [list(pair) for pair in case[member].items()]
            print(json.dumps(case | {"signer": name}))


main()
