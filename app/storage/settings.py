"""The settings of uploads and documents."""

from config import Setting

SETTINGS = (
    Setting("import_max_bytes", 50 * 1024 * 1024, "largest imported file, in bytes", 1, 1024 * 1024 * 1024),
    Setting(
        "import_seconds", 60, "processor seconds for reading an imported file; twice as many in real time", 1, 3600
    ),
    Setting("import_memory", 512, "memory for reading an imported file, in MiB", 128, 65536),
    Setting(
        "upload_max_bytes",
        25 * 1024 * 1024,
        "largest uploaded file, in bytes; buckets have their own limits too",
        low=1,
        high=1024 * 1024 * 1024,
    ),
    Setting(
        "extraction_seconds",
        20,
        "processor seconds for reading the text of a file; twice as many in real time",
        low=1,
        high=3600,
    ),
    Setting("extraction_memory", 512, "memory for reading the text of a file, in MiB", low=128, high=65536),
    Setting("extraction_pages", 2000, "most pages of a file whose text is read", low=1, high=1_000_000),
    Setting(
        "extraction_characters", 1_000_000, "most characters of text that is read from a file", low=1, high=1_000_000
    ),
    Setting("s3_bucket", "", "bucket for uploaded files; empty keeps them under VAR_DIR"),
    Setting("s3_endpoint_url", "", "address of the S3 service; empty means Amazon's"),
    Setting("s3_region", "us-east-1", "region of the bucket"),
    Setting("s3_access_key_id", "", "credential for the bucket; empty lets the SDK search"),
    Setting("s3_secret_access_key", "", "secret of that credential"),
)
