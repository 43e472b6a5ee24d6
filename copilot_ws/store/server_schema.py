"""What `server.db` holds: what belongs to users and not to a project."""

from __future__ import annotations

from copilot_ws.store.migrations import Schema

NAME = "server.db"
SERVER = Schema(
    {
        "llm_model_configs": {
            "position": "INTEGER PRIMARY KEY AUTOINCREMENT",
            "config_id": "TEXT NOT NULL",
            "user_id": "TEXT NOT NULL",
            "name": "TEXT NOT NULL",
            "model_type": "TEXT NOT NULL",
            "config": "TEXT NOT NULL",
            "api_key": "BLOB",
            "is_default": "BOOLEAN NOT NULL DEFAULT FALSE",
            "version": "INTEGER NOT NULL DEFAULT 0",
            "created_at": "TIMESTAMP NOT NULL DEFAULT ''",
            "updated_at": "TIMESTAMP NOT NULL DEFAULT ''",
        },
        # `salt` of a key that an operator gave as text; `key_check`, which opens with the key in use.
        "secrets_meta": {"name": "TEXT PRIMARY KEY", "value": "BLOB NOT NULL DEFAULT x''"},
    },
    (
        "CREATE UNIQUE INDEX IF NOT EXISTS idx_configs_id ON llm_model_configs (config_id)",
        "CREATE UNIQUE INDEX IF NOT EXISTS idx_configs_name ON llm_model_configs (user_id, name)",
        "CREATE UNIQUE INDEX IF NOT EXISTS idx_configs_default ON llm_model_configs (user_id) WHERE is_default",
    ),
)
