# Follows the block of docs/tenants/clients.md, which makes `s3`.
import io

from boto3.s3.transfer import TransferConfig
from botocore.exceptions import ClientError

bucket = "by-boto3"
told = {}


def code(call, **arguments):
    try:
        call(**arguments)
    except ClientError as error:
        return error.response["Error"]["Code"]


def download(key, **more):
    return s3.get_object(Bucket=bucket, Key=key, **more)["Body"].read()


s3.create_bucket(Bucket=bucket)
told["buckets"] = [_["Name"] for _ in s3.list_buckets()["Buckets"]]

s3.put_object(Bucket=bucket, Key="2026/a b+c.txt", Body=b"first", Metadata={"from": "boto3"})
told["metadata"] = s3.head_object(Bucket=bucket, Key="2026/a b+c.txt")["Metadata"]
told["range"] = download("2026/a b+c.txt", Range="bytes=1-3").decode()

s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
s3.put_object(Bucket=bucket, Key="2026/a b+c.txt", Body=b"second")
versions = s3.list_object_versions(Bucket=bucket, Prefix="2026/")["Versions"]
told["versions"] = [download(_["Key"], VersionId=_["VersionId"]).decode() for _ in versions]

s3.put_bucket_cors(
    Bucket=bucket,
    CORSConfiguration={"CORSRules": [{"AllowedMethods": ["GET"], "AllowedOrigins": ["https://app.example"]}]},
)

large = os.urandom(12 * 1024 * 1024)
parts = TransferConfig(multipart_threshold=5 * 1024 * 1024, multipart_chunksize=5 * 1024 * 1024)
s3.upload_fileobj(io.BytesIO(large), bucket, "large", Config=parts)
back = io.BytesIO()
s3.download_fileobj(bucket, "large", back, Config=parts)
told["large"] = back.getvalue() == large

for n in range(5):
    s3.put_object(Bucket=bucket, Key=f"pages/{n}", Body=b"")
pages = s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix="pages/", PaginationConfig={"PageSize": 2})
told["pages"] = [[_["Key"] for _ in page["Contents"]] for page in pages]
gone = s3.delete_objects(Bucket=bucket, Delete={"Objects": [{"Key": f"pages/{n}"} for n in range(5)]})
told["gone"] = sorted(_["Key"] for _ in gone["Deleted"])

signed = s3.generate_presigned_url("get_object", Params={"Bucket": bucket, "Key": "2026/a b+c.txt"}, ExpiresIn=60)
with urllib.request.urlopen(signed) as answer:
    told["presigned"] = answer.read().decode()

told["absent"] = code(s3.get_object, Bucket=bucket, Key="absent")
told["full"] = code(s3.delete_bucket, Bucket=bucket)
told["foreign"] = code(s3.list_objects_v2, Bucket=os.environ["FOREIGN_BUCKET"])

print(json.dumps(told))
