/** Written by scripts/generate.ts; do not edit. */

/** JSON Schema (draft-07) of the handoff record. */
export const HANDOFF_SCHEMA = {
  "$schema": "http://json-schema.org/draft-07/schema#",
  "$id": "https://baton.dev/schemas/handoff/v0.1.json",
  "title": "Handoff",
  "description": "The state of a unit of work, so that a later session, agent or human, can resume it.",
  "type": "object",
  "additionalProperties": true,
  "required": [
    "$schema",
    "schema_version",
    "id",
    "kind",
    "status",
    "flags",
    "created_at",
    "updated_at",
    "project",
    "origin",
    "work",
    "summary",
    "decisions",
    "artifacts",
    "evidence",
    "open_items",
    "risks",
    "validation",
    "lineage",
    "automation",
    "redactions"
  ],
  "properties": {
    "$schema": {
      "type": "string",
      "enum": [
        "https://baton.dev/schemas/handoff/v0.1.json",
        "https://threadline.dev/schemas/handoff/v0.1.json"
      ]
    },
    "schema_version": {
      "type": "string"
    },
    "id": {
      "type": "string",
      "format": "uuid"
    },
    "kind": {
      "type": "string",
      "const": "handoff"
    },
    "status": {
      "type": "string",
      "enum": [
        "draft",
        "validated",
        "ready",
        "resumed",
        "superseded",
        "archived"
      ]
    },
    "flags": {
      "type": "array",
      "items": {
        "type": "string",
        "enum": [
          "invalid",
          "conflicted"
        ]
      }
    },
    "created_at": {
      "type": "string"
    },
    "updated_at": {
      "type": "string"
    },
    "project": {
      "$ref": "#/definitions/Project"
    },
    "origin": {
      "$ref": "#/definitions/Origin"
    },
    "work": {
      "$ref": "#/definitions/Work"
    },
    "summary": {
      "$ref": "#/definitions/Summary"
    },
    "decisions": {
      "type": "array",
      "items": {
        "$ref": "#/definitions/Decision"
      }
    },
    "artifacts": {
      "type": "array",
      "items": {
        "$ref": "#/definitions/Artifact"
      }
    },
    "evidence": {
      "type": "array",
      "items": {
        "$ref": "#/definitions/Evidence"
      }
    },
    "failed_attempts": {
      "type": "array",
      "items": {
        "$ref": "#/definitions/FailedAttempt"
      },
      "default": []
    },
    "open_items": {
      "type": "array",
      "items": {
        "$ref": "#/definitions/OpenItem"
      }
    },
    "risks": {
      "type": "array",
      "items": {
        "$ref": "#/definitions/Risk"
      }
    },
    "validation": {
      "$ref": "#/definitions/Validation"
    },
    "lineage": {
      "$ref": "#/definitions/Lineage"
    },
    "automation": {
      "$ref": "#/definitions/Automation"
    },
    "metagit": {
      "default": null,
      "type": [
        "object",
        "null"
      ],
      "additionalProperties": true,
      "required": [
        "project_id",
        "objective_id",
        "session_id"
      ],
      "properties": {
        "project_id": {
          "type": [
            "string",
            "null"
          ]
        },
        "objective_id": {
          "type": [
            "string",
            "null"
          ]
        },
        "session_id": {
          "type": [
            "string",
            "null"
          ]
        }
      }
    },
    "redactions": {
      "type": "array",
      "items": {
        "$ref": "#/definitions/Redaction"
      }
    }
  },
  "definitions": {
    "Project": {
      "type": "object",
      "additionalProperties": true,
      "required": [
        "id",
        "root_hint",
        "repository"
      ],
      "properties": {
        "id": {
          "type": "string",
          "minLength": 1
        },
        "root_hint": {
          "type": "string"
        },
        "repository": {
          "type": [
            "object",
            "null"
          ],
          "additionalProperties": true,
          "required": [
            "vcs",
            "remote_hint",
            "head",
            "dirty"
          ],
          "properties": {
            "vcs": {
              "type": [
                "string",
                "null"
              ]
            },
            "remote_hint": {
              "type": [
                "string",
                "null"
              ]
            },
            "head": {
              "type": [
                "string",
                "null"
              ]
            },
            "dirty": {
              "type": [
                "boolean",
                "null"
              ]
            }
          }
        }
      }
    },
    "Origin": {
      "type": "object",
      "additionalProperties": true,
      "required": [
        "harness",
        "adapter_version",
        "session_id",
        "model",
        "actor"
      ],
      "properties": {
        "harness": {
          "type": "string",
          "enum": [
            "generic",
            "codex",
            "claude-code",
            "cursor",
            "gemini-cli"
          ]
        },
        "adapter_version": {
          "type": [
            "string",
            "null"
          ]
        },
        "session_id": {
          "type": [
            "string",
            "null"
          ]
        },
        "model": {
          "type": [
            "string",
            "null"
          ]
        },
        "actor": {
          "type": [
            "object",
            "null"
          ],
          "additionalProperties": true,
          "required": [
            "type",
            "name"
          ],
          "properties": {
            "type": {
              "type": "string",
              "enum": [
                "agent",
                "human",
                "mixed"
              ]
            },
            "name": {
              "type": [
                "string",
                "null"
              ]
            }
          }
        }
      }
    },
    "Work": {
      "type": "object",
      "additionalProperties": true,
      "required": [
        "title",
        "objective",
        "scope",
        "constraints",
        "definition_of_done"
      ],
      "properties": {
        "title": {
          "type": "string",
          "minLength": 1
        },
        "objective": {
          "type": "string",
          "minLength": 1
        },
        "scope": {
          "type": "array",
          "items": {
            "type": "string"
          }
        },
        "constraints": {
          "type": "array",
          "items": {
            "type": "string"
          }
        },
        "definition_of_done": {
          "type": "array",
          "items": {
            "type": "string"
          }
        }
      }
    },
    "Summary": {
      "type": "object",
      "additionalProperties": true,
      "required": [
        "completed",
        "current_state",
        "why_it_matters"
      ],
      "properties": {
        "completed": {
          "type": "array",
          "items": {
            "type": "string"
          }
        },
        "in_progress": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "default": []
        },
        "discoveries": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "default": []
        },
        "current_state": {
          "type": "string",
          "minLength": 1
        },
        "why_it_matters": {
          "type": [
            "string",
            "null"
          ]
        }
      }
    },
    "Decision": {
      "type": "object",
      "additionalProperties": true,
      "required": [
        "id",
        "decision",
        "rationale",
        "alternatives_considered",
        "evidence_ids",
        "made_at"
      ],
      "properties": {
        "id": {
          "type": "string",
          "pattern": "^[A-Z]-[0-9]{3}$"
        },
        "decision": {
          "type": "string",
          "minLength": 1
        },
        "rationale": {
          "type": [
            "string",
            "null"
          ]
        },
        "alternatives_considered": {
          "type": "array",
          "items": {
            "type": "string"
          }
        },
        "evidence_ids": {
          "type": "array",
          "items": {
            "type": "string"
          }
        },
        "made_at": {
          "type": "string"
        }
      }
    },
    "Artifact": {
      "type": "object",
      "additionalProperties": true,
      "required": [
        "path",
        "role",
        "description",
        "revision",
        "content_hash",
        "sensitive"
      ],
      "properties": {
        "path": {
          "type": "string",
          "minLength": 1
        },
        "role": {
          "type": "string",
          "enum": [
            "modified",
            "created",
            "read",
            "generated"
          ]
        },
        "description": {
          "type": [
            "string",
            "null"
          ]
        },
        "revision": {
          "type": [
            "string",
            "null"
          ]
        },
        "content_hash": {
          "type": [
            "string",
            "null"
          ]
        },
        "sensitive": {
          "type": "boolean"
        }
      }
    },
    "Evidence": {
      "type": "object",
      "additionalProperties": true,
      "required": [
        "id",
        "type",
        "claim",
        "ref",
        "captured_at",
        "result",
        "digest"
      ],
      "properties": {
        "id": {
          "type": "string",
          "pattern": "^[A-Z]-[0-9]{3}$"
        },
        "type": {
          "type": "string",
          "enum": [
            "command",
            "test",
            "file",
            "commit",
            "url",
            "human",
            "observation"
          ]
        },
        "claim": {
          "type": "string",
          "minLength": 1
        },
        "ref": {
          "type": [
            "string",
            "null"
          ]
        },
        "captured_at": {
          "type": "string"
        },
        "result": {
          "type": [
            "string",
            "null"
          ]
        },
        "digest": {
          "type": [
            "string",
            "null"
          ]
        }
      }
    },
    "FailedAttempt": {
      "type": "object",
      "additionalProperties": true,
      "required": [
        "id",
        "approach",
        "outcome",
        "reason",
        "evidence_ids",
        "avoid_repeating"
      ],
      "properties": {
        "id": {
          "type": "string",
          "pattern": "^[A-Z]-[0-9]{3}$"
        },
        "approach": {
          "type": "string",
          "minLength": 1
        },
        "outcome": {
          "type": [
            "string",
            "null"
          ],
          "enum": [
            "failed",
            "regressed",
            "abandoned",
            null
          ]
        },
        "reason": {
          "type": [
            "string",
            "null"
          ]
        },
        "evidence_ids": {
          "type": "array",
          "items": {
            "type": "string"
          }
        },
        "avoid_repeating": {
          "type": "boolean"
        }
      }
    },
    "OpenItem": {
      "type": "object",
      "additionalProperties": true,
      "required": [
        "id",
        "priority",
        "description",
        "suggested_action",
        "blocked_by",
        "acceptance_check"
      ],
      "properties": {
        "id": {
          "type": "string",
          "pattern": "^[A-Z]-[0-9]{3}$"
        },
        "priority": {
          "type": "string",
          "enum": [
            "high",
            "medium",
            "low"
          ]
        },
        "description": {
          "type": "string",
          "minLength": 1
        },
        "suggested_action": {
          "type": [
            "string",
            "null"
          ]
        },
        "blocked_by": {
          "type": "array",
          "items": {
            "type": "string"
          }
        },
        "acceptance_check": {
          "type": [
            "string",
            "null"
          ]
        }
      }
    },
    "Risk": {
      "type": "object",
      "additionalProperties": true,
      "required": [
        "description",
        "severity",
        "mitigation"
      ],
      "properties": {
        "description": {
          "type": "string",
          "minLength": 1
        },
        "severity": {
          "type": "string",
          "enum": [
            "high",
            "medium",
            "low"
          ]
        },
        "mitigation": {
          "type": [
            "string",
            "null"
          ]
        }
      }
    },
    "Check": {
      "type": "object",
      "additionalProperties": true,
      "required": [
        "name",
        "status",
        "detail"
      ],
      "properties": {
        "name": {
          "type": "string",
          "minLength": 1
        },
        "status": {
          "type": "string",
          "enum": [
            "pass",
            "warn",
            "fail",
            "skipped"
          ]
        },
        "detail": {
          "type": "string"
        }
      }
    },
    "Validation": {
      "type": "object",
      "additionalProperties": true,
      "required": [
        "status",
        "validated_at",
        "checks",
        "freshness"
      ],
      "properties": {
        "status": {
          "type": "string",
          "enum": [
            "pass",
            "warn",
            "fail",
            "not_run"
          ]
        },
        "validated_at": {
          "type": [
            "string",
            "null"
          ]
        },
        "checks": {
          "type": "array",
          "items": {
            "$ref": "#/definitions/Check"
          }
        },
        "freshness": {
          "type": [
            "object",
            "null"
          ],
          "additionalProperties": true,
          "required": [
            "git_head_at_capture",
            "git_head_now",
            "stale"
          ],
          "properties": {
            "git_head_at_capture": {
              "type": [
                "string",
                "null"
              ]
            },
            "git_head_now": {
              "type": [
                "string",
                "null"
              ]
            },
            "stale": {
              "type": "boolean"
            }
          }
        }
      }
    },
    "Lineage": {
      "type": "object",
      "additionalProperties": true,
      "required": [
        "parents",
        "relation",
        "branch_label",
        "merge_basis"
      ],
      "properties": {
        "parents": {
          "type": "array",
          "items": {
            "type": "string"
          }
        },
        "relation": {
          "type": "string",
          "enum": [
            "root",
            "continue",
            "fork",
            "merge",
            "amend"
          ]
        },
        "branch_label": {
          "type": [
            "string",
            "null"
          ]
        },
        "merge_basis": {
          "type": "array",
          "items": {
            "type": "string"
          }
        }
      }
    },
    "Automation": {
      "type": "object",
      "additionalProperties": true,
      "required": [
        "trigger",
        "score",
        "reasons"
      ],
      "properties": {
        "trigger": {
          "type": "string",
          "enum": [
            "manual",
            "threshold",
            "hook",
            "timeout",
            "pre_compaction"
          ]
        },
        "score": {
          "type": [
            "number",
            "null"
          ],
          "minimum": 0,
          "maximum": 1
        },
        "reasons": {
          "type": "array",
          "items": {
            "type": "string"
          }
        }
      }
    },
    "Redaction": {
      "type": "object",
      "additionalProperties": true,
      "required": [
        "field",
        "reason",
        "replacement"
      ],
      "properties": {
        "field": {
          "type": "string",
          "minLength": 1
        },
        "reason": {
          "type": "string",
          "minLength": 1
        },
        "replacement": {
          "type": "string"
        }
      }
    }
  }
} as const
