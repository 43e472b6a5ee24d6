"""The one error tree: what a client may be told, with its code and HTTP status."""

from __future__ import annotations

from typing import Any, ClassVar


class CopilotError(Exception):
    """An error that a client may see.

    `message` is for a person, `code` for a program; `details` is JSON or None. It never holds
    a path, a secret or a traceback. `status` is the HTTP status that REST answers with.
    """

    code: ClassVar[str] = "internal"
    status: ClassVar[int] = 500

    def __init__(self, message: str, details: Any = None) -> None:
        super().__init__(message)
        self.message = message
        self.details = details

    def shape(self) -> dict[str, Any]:
        """`{message, code, details}`, as REST and the socket send it."""
        return {"message": self.message, "code": self.code, "details": self.details}


class BadRequest(CopilotError):
    code, status = "bad_request", 400


class Unauthorized(CopilotError):
    code, status = "unauthorized", 401


class TokenExpired(Unauthorized):
    code = "token_expired"


class Forbidden(CopilotError):
    code, status = "forbidden", 403


class ProjectNotOpened(CopilotError):
    code, status = "project_not_opened", 403


class NotFound(CopilotError):
    code, status = "not_found", 404


class Conflict(CopilotError):
    code, status = "conflict", 409


class SessionBusy(Conflict):
    code = "session_busy"


class HitlPending(Conflict):
    code = "hitl_pending"


class AlreadyResolved(Conflict):
    code = "already_resolved"


class ConfirmationRequired(Conflict):
    code = "confirmation_required"


class LimitReached(Conflict):
    """A run ended at one of its limits, as it was asked to (`on_limit_reached: fail`)."""

    code = "limit_reached"


class TooLarge(CopilotError):
    code, status = "too_large", 413


class InvalidArgument(CopilotError):
    code, status = "invalid_argument", 422


class TooManyRuns(CopilotError):
    code, status = "too_many_runs", 429


class LlmError(CopilotError):
    """A model provider failed; `fault` is the event's code (`llm_auth`, `llm_timeout`, ...)."""

    code, status = "llm_error", 502

    def __init__(self, fault: str, message: str, details: Any = None) -> None:
        super().__init__(message, details)
        self.fault = fault


class LabError(CopilotError):
    code, status = "lab_error", 502


class ShuttingDown(CopilotError):
    code, status = "shutting_down", 503
