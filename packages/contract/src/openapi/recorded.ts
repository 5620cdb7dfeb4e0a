/**
 * A successful exchange of every operation, recorded by a test against the
 * simulated cloud (packages/gateway/test/examples). Do not edit it by hand.
 */
export interface Example {
  readonly status: number
  readonly path: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
  readonly requestType?: string
  readonly request?: unknown
  readonly responseType?: string
  readonly response?: unknown
}

export const examples: Readonly<Record<string, Example>> = {
  "signup.request": {
    "status": 202,
    "path": {},
    "query": {},
    "requestType": "application/json",
    "request": {
      "email": "ann@initech.example",
      "org_name": "Initech"
    },
    "responseType": "application/json",
    "response": {
      "status": "received",
      "detail": "Thank you, the signup was received. If it is approved, an e-mail with a link goes to its address. If your organisation uses the service already, nobody has to approve anything: ask its owner to invite you."
    }
  },
  "identity.whoami": {
    "status": 200,
    "path": {},
    "query": {},
    "responseType": "application/json",
    "response": {
      "user_id": "cred-223adb002f97",
      "user_name": "",
      "user_email": "",
      "roles": [
        "customer"
      ],
      "tenant": {
        "id": "d97b2b739f7a278e207bf834f6e0335d",
        "name": "Acme",
        "source": "credential_store"
      },
      "all_projects": false,
      "tier": 2,
      "credential_id": "cred-223adb002f97",
      "credential_label": "platform team"
    }
  },
  "status.show": {
    "status": 200,
    "path": {},
    "query": {},
    "responseType": "application/json",
    "response": {
      "generated_at": "2026-03-02T10:00:01.000Z",
      "overall": "ok",
      "services": [
        {
          "service": "compute",
          "status": "ok",
          "detail": "Operating normally."
        },
        {
          "service": "storage",
          "status": "ok",
          "detail": "Operating normally."
        },
        {
          "service": "network",
          "status": "ok",
          "detail": "Operating normally."
        },
        {
          "service": "portal",
          "status": "ok",
          "detail": "Operating normally."
        },
        {
          "service": "api",
          "status": "ok",
          "detail": "Operating normally."
        },
        {
          "service": "billing",
          "status": "ok",
          "detail": "Operating normally."
        },
        {
          "service": "events",
          "status": "ok",
          "detail": "Operating normally."
        },
        {
          "service": "object-storage",
          "status": "ok",
          "detail": "Operating normally."
        },
        {
          "service": "databases",
          "status": "ok",
          "detail": "Operating normally."
        }
      ],
      "incidents": [],
      "maintenance": []
    }
  },
  "quotas.show": {
    "status": 200,
    "path": {},
    "query": {},
    "responseType": "application/json",
    "response": {
      "project_id": "d97b2b739f7a278e207bf834f6e0335d",
      "tier": "discovery",
      "suspended": false,
      "compute": {
        "cores": {
          "limit": 8,
          "used": 0,
          "source": "nova"
        },
        "ram": {
          "limit": 16384,
          "used": 0,
          "source": "nova"
        },
        "instances": {
          "limit": 5,
          "used": 0,
          "source": "nova"
        }
      },
      "block_storage": {
        "volumes": {
          "limit": 8,
          "used": 0,
          "source": "cinder"
        },
        "gigabytes": {
          "limit": 80,
          "used": 0,
          "source": "cinder"
        },
        "backups": {
          "limit": 16,
          "used": 0,
          "source": "cinder"
        },
        "backup_gigabytes": {
          "limit": 80,
          "used": 0,
          "source": "cinder"
        }
      },
      "network": {
        "networks": {
          "limit": 3,
          "used": 1,
          "source": "neutron"
        },
        "routers": {
          "limit": 2,
          "used": 1,
          "source": "neutron"
        },
        "floating_ips": {
          "limit": 2,
          "used": 0,
          "source": "neutron"
        }
      },
      "load_balancers": {
        "limit": 0,
        "used": 0,
        "source": "octavia"
      },
      "nat_gateways": {
        "limit": 1,
        "used": 1,
        "source": "neutron"
      },
      "dns_zones": {
        "limit": 5,
        "used": 0,
        "source": "designate"
      },
      "edge_exposures": {
        "limit": 1,
        "used": 0,
        "source": "gateway"
      },
      "object_storage": {
        "buckets": {
          "limit": 5,
          "enforced": 5,
          "used": 0,
          "source": "rgw",
          "matches_tier": true
        },
        "bytes": {
          "limit": 21474836480,
          "enforced": 21474836480,
          "used": 0,
          "source": "rgw",
          "matches_tier": true
        }
      },
      "databases": {
        "gigabytes": {
          "limit": 100,
          "used": 0,
          "source": "kubernetes"
        },
        "claims": {
          "limit": 8,
          "used": 0,
          "source": "kubernetes"
        }
      },
      "clusters": {
        "limit": 1,
        "used": null,
        "source": "tier"
      },
      "workers": {
        "limit": 3,
        "used": null,
        "source": "tier"
      },
      "api_rpm": {
        "limit": 300,
        "used": null,
        "source": "tier"
      },
      "credentials": {
        "limit": 20,
        "used": 6,
        "source": "gateway"
      }
    }
  },
  "health.health": {
    "status": 200,
    "path": {},
    "query": {},
    "responseType": "application/json",
    "response": {
      "status": "ok"
    }
  },
  "health.live": {
    "status": 200,
    "path": {},
    "query": {},
    "responseType": "application/json",
    "response": {
      "status": "ok"
    }
  },
  "health.ready": {
    "status": 200,
    "path": {},
    "query": {},
    "responseType": "application/json",
    "response": {
      "status": "ready"
    }
  },
  "credentials.mint": {
    "status": 201,
    "path": {},
    "query": {},
    "requestType": "application/json",
    "request": {
      "kind": "api-key",
      "tier": 1,
      "label": "deploy pipeline",
      "expires_in_days": 90,
      "networks": [
        "198.51.100.0/24"
      ]
    },
    "responseType": "application/json",
    "response": {
      "credential_id": "cred-a56e1b954d0b",
      "kind": "api-key",
      "tier": 1,
      "minted_tier": 1,
      "label": "deploy pipeline",
      "project_id": "d97b2b739f7a278e207bf834f6e0335d",
      "state": "active",
      "revoked": false,
      "client_id": "acme-a56e1b954d0b",
      "created_at": "2026-03-02T10:00:02.000Z",
      "created_by": "cred-223adb002f97",
      "made_by": "cred-223adb002f97",
      "expires_at": "2026-05-31T10:00:02.000Z",
      "revoked_at": null,
      "held": [],
      "networks": [
        "198.51.100.0/24"
      ],
      "last_used_at": null,
      "last_used_from": null,
      "rotated_to": null,
      "revokes_at": null,
      "client_secret": "FQXMxkmlic16xlqanXYMftCpjvVFquS1S4duEXAMPLE",
      "pat": "BeiZa5g9DOH6z0yDLGNWFBy8B6mtOOF61twwEXAMPLE"
    }
  },
  "credentials.list": {
    "status": 200,
    "path": {},
    "query": {
      "limit": "2",
      "include_revoked": "false"
    },
    "responseType": "application/json",
    "response": {
      "count": 6,
      "next_cursor": "MTc3MjQ0MjAwMjAwMC5jcmVkLTJkMDUzNWNhMDc4OQ",
      "credentials": [
        {
          "credential_id": "cred-2a12c2adda5b",
          "kind": "api-key",
          "tier": 2,
          "minted_tier": 2,
          "label": "first credential",
          "project_id": "d97b2b739f7a278e207bf834f6e0335d",
          "state": "active",
          "revoked": false,
          "client_id": "acme-2a12c2adda5b",
          "created_at": "2026-03-02T09:00:01.000Z",
          "created_by": "onboarding",
          "made_by": null,
          "expires_at": null,
          "revoked_at": null,
          "held": [],
          "networks": null,
          "last_used_at": null,
          "last_used_from": null,
          "rotated_to": null,
          "revokes_at": null
        },
        {
          "credential_id": "cred-2d0535ca0789",
          "kind": "api-key",
          "tier": 0,
          "minted_tier": 0,
          "label": "monitoring",
          "project_id": "d97b2b739f7a278e207bf834f6e0335d",
          "state": "active",
          "revoked": false,
          "client_id": "acme-2d0535ca0789",
          "created_at": "2026-03-02T09:00:02.000Z",
          "created_by": "cred-2a12c2adda5b",
          "made_by": "cred-2a12c2adda5b",
          "expires_at": null,
          "revoked_at": null,
          "held": [],
          "networks": null,
          "last_used_at": null,
          "last_used_from": null,
          "rotated_to": null,
          "revokes_at": null
        }
      ]
    }
  },
  "credentials.usage": {
    "status": 200,
    "path": {},
    "query": {
      "limit": "2"
    },
    "responseType": "application/json",
    "response": {
      "count": 6,
      "next_cursor": "MTc3MjQ0MjAwMjAwMC5jcmVkLTJkMDUzNWNhMDc4OQ",
      "usage": [
        {
          "credential_id": "cred-2a12c2adda5b",
          "label": "first credential",
          "project_id": "d97b2b739f7a278e207bf834f6e0335d",
          "call_count": 0,
          "last_used_at": null
        },
        {
          "credential_id": "cred-2d0535ca0789",
          "label": "monitoring",
          "project_id": "d97b2b739f7a278e207bf834f6e0335d",
          "call_count": 0,
          "last_used_at": null
        }
      ]
    }
  },
  "credentials.rotate": {
    "status": 201,
    "path": {
      "credential_id": "cred-55709ac433a6"
    },
    "query": {},
    "requestType": "application/json",
    "request": {
      "overlap_seconds": 86400
    },
    "responseType": "application/json",
    "response": {
      "credential_id": "cred-2602592804f7",
      "kind": "api-key",
      "tier": 0,
      "minted_tier": 0,
      "label": "nightly backup",
      "project_id": "d97b2b739f7a278e207bf834f6e0335d",
      "state": "active",
      "revoked": false,
      "client_id": "acme-2602592804f7",
      "created_at": "2026-03-02T10:00:03.000Z",
      "created_by": "cred-223adb002f97",
      "made_by": "cred-223adb002f97",
      "expires_at": null,
      "revoked_at": null,
      "held": [],
      "networks": null,
      "last_used_at": null,
      "last_used_from": null,
      "rotated_to": null,
      "revokes_at": null,
      "client_secret": "2J6VYx27Ve3WLqokVkXT9x2f1SjPxe5DNHFIEXAMPLE",
      "pat": "b5gGIOCI3MhQbRWsxGWYCy8rkzwYyJ8wWxV7EXAMPLE",
      "predecessor": {
        "credential_id": "cred-55709ac433a6",
        "kind": "api-key",
        "tier": 0,
        "minted_tier": 0,
        "label": "nightly backup",
        "project_id": "d97b2b739f7a278e207bf834f6e0335d",
        "state": "active",
        "revoked": false,
        "client_id": "acme-55709ac433a6",
        "created_at": "2026-03-02T10:00:02.000Z",
        "created_by": "283438900133625648",
        "made_by": "283438900133625648",
        "expires_at": null,
        "revoked_at": null,
        "held": [],
        "networks": null,
        "last_used_at": null,
        "last_used_from": null,
        "rotated_to": "cred-2602592804f7",
        "revokes_at": "2026-03-03T10:00:03.000Z"
      }
    }
  },
  "credentials.revoke": {
    "status": 200,
    "path": {
      "credential_id": "cred-250925cc9949"
    },
    "query": {},
    "responseType": "application/json",
    "response": {
      "credential_id": "cred-250925cc9949",
      "kind": "api-key",
      "tier": 0,
      "minted_tier": 0,
      "label": "nightly backup",
      "project_id": "d97b2b739f7a278e207bf834f6e0335d",
      "state": "revoked",
      "revoked": true,
      "client_id": "acme-250925cc9949",
      "created_at": "2026-03-02T10:00:01.000Z",
      "created_by": "cred-223adb002f97",
      "made_by": "cred-223adb002f97",
      "expires_at": null,
      "revoked_at": "2026-03-02T10:00:02.000Z",
      "held": [],
      "networks": null,
      "last_used_at": null,
      "last_used_from": null,
      "rotated_to": null,
      "revokes_at": null
    }
  },
  "agents.mint": {
    "status": 201,
    "path": {},
    "query": {},
    "requestType": "application/json",
    "request": {
      "label": "coding agent",
      "tier": 1,
      "expires_in_days": 2
    },
    "responseType": "application/json",
    "response": {
      "credential_id": "cred-9a415777c1c8",
      "kind": "mcp",
      "tier": 1,
      "minted_tier": 1,
      "label": "coding agent",
      "project_id": "d97b2b739f7a278e207bf834f6e0335d",
      "state": "active",
      "revoked": false,
      "client_id": "acme-9a415777c1c8",
      "created_at": "2026-03-02T10:00:02.000Z",
      "created_by": "cred-223adb002f97",
      "made_by": "cred-223adb002f97",
      "expires_at": "2026-03-04T10:00:02.000Z",
      "revoked_at": null,
      "held": [],
      "networks": null,
      "last_used_at": null,
      "last_used_from": null,
      "rotated_to": null,
      "revokes_at": null,
      "client_secret": "Z1Lya1lnVSx2qrRXErtPpAKroX75lLvexTFwEXAMPLE",
      "pat": "yWzPfMhuCZB7bx35xe3tx35MWA0Md5JLfQNwEXAMPLE"
    }
  },
  "agents.list": {
    "status": 200,
    "path": {},
    "query": {
      "limit": "10"
    },
    "responseType": "application/json",
    "response": {
      "count": 1,
      "next_cursor": null,
      "agents": [
        {
          "credential_id": "cred-9a415777c1c8",
          "label": "coding agent",
          "tier": 1,
          "project_id": "d97b2b739f7a278e207bf834f6e0335d",
          "state": "active",
          "created_by": "cred-223adb002f97",
          "created_at": "2026-03-02T10:00:02.000Z",
          "expires_at": "2026-03-04T10:00:02.000Z",
          "last_used_at": null,
          "last_used_from": null,
          "last_tool": null,
          "last_call_at": null,
          "calls": 0,
          "refused": 0
        }
      ]
    }
  },
  "agents.end": {
    "status": 200,
    "path": {},
    "query": {
      "project_id": "d97b2b739f7a278e207bf834f6e0335d"
    },
    "responseType": "application/json",
    "response": {
      "ended": 1,
      "ended_at": "2026-03-02T10:00:01.000Z"
    }
  },
  "agents.showPolicy": {
    "status": 200,
    "path": {},
    "query": {
      "project_id": "d97b2b739f7a278e207bf834f6e0335d"
    },
    "responseType": "application/json",
    "response": {
      "enabled": true,
      "confirm": [
        "billed",
        "irreversible"
      ],
      "updated_at": null,
      "updated_by": null,
      "ended_at": "2026-03-02T10:00:01.000Z"
    }
  },
  "agents.putPolicy": {
    "status": 200,
    "path": {},
    "query": {
      "project_id": "d97b2b739f7a278e207bf834f6e0335d"
    },
    "requestType": "application/json",
    "request": {
      "enabled": true,
      "confirm": [
        "billed",
        "irreversible",
        "compute_write"
      ]
    },
    "responseType": "application/json",
    "response": {
      "enabled": true,
      "confirm": [
        "billed",
        "irreversible",
        "compute_write"
      ],
      "updated_at": "2026-03-02T10:00:01.000Z",
      "updated_by": "285997266163225828",
      "ended_at": "2026-03-02T10:00:01.000Z"
    }
  },
  "workload-identity.exchange": {
    "status": 200,
    "path": {},
    "query": {},
    "requestType": "application/json",
    "request": {
      "subject_token": "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJleGFtcGxlIn0.c2lnbmF0dXJl"
    },
    "responseType": "application/json",
    "response": {
      "access_token": "portico_wi_yyx7Llqjgjx4JyCZFYzGIxvq86OYTxMiklL9EXAMPLE",
      "issued_token_type": "urn:ietf:params:oauth:token-type:access_token",
      "token_type": "Bearer",
      "expires_in": 3600
    }
  },
  "org-users.list": {
    "status": 200,
    "path": {},
    "query": {
      "project_id": "d97b2b739f7a278e207bf834f6e0335d"
    },
    "responseType": "application/json",
    "response": {
      "count": 2,
      "next_cursor": null,
      "users": [
        {
          "user_id": "285997266163225828",
          "display_name": "Oscar Lind",
          "email": "oscar@acme.example",
          "roles": [
            "customer-owner"
          ],
          "state": "USER_STATE_ACTIVE",
          "billing_access": true,
          "project_id": "d97b2b739f7a278e207bf834f6e0335d",
          "project_name": "acme",
          "tenant_name": "Acme"
        },
        {
          "user_id": "283438900133625648",
          "display_name": "Ada Moreau",
          "email": "ada@acme.example",
          "roles": [
            "customer-admin"
          ],
          "state": "USER_STATE_ACTIVE",
          "billing_access": false,
          "project_id": "d97b2b739f7a278e207bf834f6e0335d",
          "project_name": "acme",
          "tenant_name": "Acme"
        }
      ]
    }
  },
  "org-users.invite": {
    "status": 201,
    "path": {},
    "query": {},
    "requestType": "application/json",
    "request": {
      "email": "mia.berg@acme.example",
      "role": "customer-engineer",
      "project_id": "d97b2b739f7a278e207bf834f6e0335d"
    },
    "responseType": "application/json",
    "response": {
      "user_id": "291894536536915463",
      "display_name": "Mia Berg",
      "email": "mia.berg@acme.example",
      "roles": [
        "customer-engineer"
      ],
      "state": "USER_STATE_INITIAL",
      "billing_access": false,
      "project_id": "d97b2b739f7a278e207bf834f6e0335d",
      "project_name": "acme",
      "tenant_name": "Acme",
      "created": true
    }
  },
  "org-users.setBilling": {
    "status": 200,
    "path": {
      "user_id": "258004112742848321"
    },
    "query": {},
    "requestType": "application/json",
    "request": {
      "billing_access": true
    },
    "responseType": "application/json",
    "response": {
      "user_id": "258004112742848321",
      "display_name": "Mia Berg",
      "email": "mia.berg@acme.example",
      "roles": [
        "customer"
      ],
      "state": "USER_STATE_INITIAL",
      "billing_access": true,
      "project_id": "d97b2b739f7a278e207bf834f6e0335d",
      "project_name": "acme",
      "tenant_name": "Acme"
    }
  },
  "org-users.remove": {
    "status": 200,
    "path": {
      "user_id": "235709636722468029"
    },
    "query": {},
    "responseType": "application/json",
    "response": {
      "user_id": "235709636722468029",
      "credentials_revoked": [],
      "webhooks_kept": [],
      "integrations_kept": []
    }
  },
  "policy.listUnits": {
    "status": 200,
    "path": {},
    "query": {
      "project_id": "d97b2b739f7a278e207bf834f6e0335d"
    },
    "responseType": "application/json",
    "response": {
      "count": 0,
      "next_cursor": null,
      "ous": []
    }
  },
  "policy.createUnit": {
    "status": 201,
    "path": {},
    "query": {
      "project_id": "d97b2b739f7a278e207bf834f6e0335d"
    },
    "requestType": "application/json",
    "request": {
      "path": "engineering"
    },
    "responseType": "application/json",
    "response": {
      "path": "engineering",
      "parent": null,
      "created_at": "2026-03-02T10:00:01.000Z",
      "created_by": "285997266163225828"
    }
  },
  "policy.removeUnit": {
    "status": 200,
    "path": {
      "path": "engineering"
    },
    "query": {
      "project_id": "d97b2b739f7a278e207bf834f6e0335d"
    },
    "responseType": "application/json",
    "response": {
      "path": "engineering",
      "parent": null,
      "created_at": "2026-03-02T10:00:01.000Z",
      "created_by": "100000000000000005"
    }
  },
  "policy.place": {
    "status": 200,
    "path": {
      "path": "engineering",
      "id": "cred-2d0535ca0789"
    },
    "query": {
      "project_id": "d97b2b739f7a278e207bf834f6e0335d"
    },
    "responseType": "application/json",
    "response": {
      "credential_id": "cred-2d0535ca0789",
      "user_id": null,
      "ou": "engineering"
    }
  },
  "policy.takeOut": {
    "status": 200,
    "path": {
      "path": "engineering",
      "id": "cred-2d0535ca0789"
    },
    "query": {
      "project_id": "d97b2b739f7a278e207bf834f6e0335d"
    },
    "responseType": "application/json",
    "response": {
      "credential_id": "cred-2d0535ca0789",
      "user_id": null,
      "ou": null
    }
  },
  "policy.listPolicies": {
    "status": 200,
    "path": {},
    "query": {
      "project_id": "d97b2b739f7a278e207bf834f6e0335d"
    },
    "responseType": "application/json",
    "response": {
      "count": 0,
      "next_cursor": null,
      "policies": []
    }
  },
  "policy.putPolicy": {
    "status": 200,
    "path": {},
    "query": {
      "project_id": "d97b2b739f7a278e207bf834f6e0335d"
    },
    "requestType": "application/json",
    "request": {
      "ou": "engineering",
      "max_tier": 1,
      "denies": [
        "dns:destroy"
      ]
    },
    "responseType": "application/json",
    "response": {
      "ou": "engineering",
      "max_tier": 1,
      "denies": [
        "dns:destroy"
      ],
      "created_at": "2026-03-02T10:00:02.000Z",
      "updated_at": "2026-03-02T10:00:02.000Z",
      "updated_by": "285997266163225828"
    }
  },
  "policy.removePolicy": {
    "status": 200,
    "path": {},
    "query": {
      "ou": "engineering",
      "project_id": "d97b2b739f7a278e207bf834f6e0335d"
    },
    "responseType": "application/json",
    "response": {
      "ou": "engineering",
      "max_tier": 0,
      "denies": [],
      "created_at": "2026-03-02T10:00:02.000Z",
      "updated_at": "2026-03-02T10:00:02.000Z",
      "updated_by": "100000000000000005"
    }
  },
  "policy.effective": {
    "status": 200,
    "path": {},
    "query": {
      "project_id": "d97b2b739f7a278e207bf834f6e0335d"
    },
    "responseType": "application/json",
    "response": {
      "project_id": "d97b2b739f7a278e207bf834f6e0335d",
      "ou": "",
      "credential_id": "cred-223adb002f97",
      "user_id": null,
      "tier": 2,
      "effective_tier": 2,
      "max_tier": null,
      "max_tier_from": null,
      "denies": [],
      "units": [
        {
          "ou": "",
          "max_tier": null,
          "denies": []
        }
      ]
    }
  },
  "iaas.get": {
    "status": 200,
    "path": {
      "path": "network/networks"
    },
    "query": {},
    "responseType": "application/json",
    "response": {
      "networks": [
        {
          "description": "",
          "tags": [],
          "created_at": "2026-01-01T00:00:00Z",
          "updated_at": "2026-01-01T00:00:00Z",
          "revision_number": 1,
          "id": "83b2b26e-02ef-4b01-a27e-b9e4ce7a3556",
          "name": "public",
          "admin_state_up": true,
          "shared": false,
          "router:external": true,
          "mtu": 1500,
          "port_security_enabled": true,
          "project_id": "4e21470a0856e0aee3ba0d5206749233",
          "tenant_id": "4e21470a0856e0aee3ba0d5206749233",
          "is_default": true,
          "status": "ACTIVE",
          "subnets": [
            "deef8993-0188-4778-ac50-4b054b6c21ca"
          ],
          "availability_zone_hints": [],
          "availability_zones": [
            "nova"
          ],
          "ipv4_address_scope": null,
          "ipv6_address_scope": null
        },
        {
          "id": "e3314441-96cd-4a44-aa72-c3a228e9adfc",
          "name": "acme-net",
          "description": "portico-attempt:f7db4524-ed40-4e6e-afb0-ae727177ac11",
          "tags": [],
          "created_at": "2026-03-02T09:00:01Z",
          "updated_at": "2026-03-02T09:00:01Z",
          "revision_number": 2,
          "admin_state_up": true,
          "shared": false,
          "router:external": false,
          "mtu": 1442,
          "port_security_enabled": true,
          "project_id": "d97b2b739f7a278e207bf834f6e0335d",
          "tenant_id": "d97b2b739f7a278e207bf834f6e0335d",
          "status": "ACTIVE",
          "subnets": [
            "b58a8abb-42a0-414e-ad42-0492f04a46ed"
          ],
          "availability_zone_hints": [],
          "availability_zones": [
            "nova"
          ],
          "ipv4_address_scope": null,
          "ipv6_address_scope": null
        }
      ]
    }
  },
  "iaas.post": {
    "status": 200,
    "path": {
      "path": "compute/os-keypairs"
    },
    "query": {},
    "requestType": "application/json",
    "request": {
      "keypair": {
        "name": "laptop",
        "public_key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJx0bDv7nW0kQqMz6cVr1kXl0Qm7m0y4w3Zc5h8t1uPa ada@acme.example"
      }
    },
    "responseType": "application/json",
    "response": {
      "keypair": {
        "name": "laptop",
        "public_key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJx0bDv7nW0kQqMz6cVr1kXl0Qm7m0y4w3Zc5h8t1uPa ada@acme.example",
        "fingerprint": "52:4e:75:04:4b:f4:6d:f4:35:50:20:f3:4d:7c:fc:8e",
        "user_id": "8a6f51c0e2762e41408819717ee1167e"
      }
    }
  },
  "iaas.put": {
    "status": 200,
    "path": {
      "path": "network/networks/e3314441-96cd-4a44-aa72-c3a228e9adfc"
    },
    "query": {},
    "requestType": "application/json",
    "request": {
      "network": {
        "description": "The network of the web servers"
      }
    },
    "responseType": "application/json",
    "response": {
      "network": {
        "id": "e3314441-96cd-4a44-aa72-c3a228e9adfc",
        "name": "acme-net",
        "description": "The network of the web servers",
        "tags": [],
        "created_at": "2026-03-02T09:00:01Z",
        "updated_at": "2026-03-02T10:00:01Z",
        "revision_number": 3,
        "admin_state_up": true,
        "shared": false,
        "router:external": false,
        "mtu": 1442,
        "port_security_enabled": true,
        "project_id": "d97b2b739f7a278e207bf834f6e0335d",
        "tenant_id": "d97b2b739f7a278e207bf834f6e0335d",
        "status": "ACTIVE",
        "subnets": [
          "b58a8abb-42a0-414e-ad42-0492f04a46ed"
        ],
        "availability_zone_hints": [],
        "availability_zones": [
          "nova"
        ],
        "ipv4_address_scope": null,
        "ipv6_address_scope": null
      }
    }
  },
  "iaas.patch": {
    "status": 200,
    "path": {
      "path": "image/images/1ae20ef8-1072-4015-aefa-e2e149ac2e20"
    },
    "query": {},
    "requestType": "application/openstack-images-v2.1-json-patch",
    "request": [
      {
        "op": "replace",
        "path": "/name",
        "value": "renamed"
      }
    ],
    "responseType": "application/json",
    "response": {
      "id": "1ae20ef8-1072-4015-aefa-e2e149ac2e20",
      "name": "renamed",
      "status": "queued",
      "visibility": "shared",
      "owner": "d97b2b739f7a278e207bf834f6e0335d",
      "size": null,
      "virtual_size": null,
      "checksum": null,
      "os_hash_algo": null,
      "os_hash_value": null,
      "disk_format": "raw",
      "container_format": "bare",
      "min_disk": 0,
      "min_ram": 0,
      "protected": false,
      "os_hidden": false,
      "tags": [],
      "created_at": "2026-03-02T10:00:01Z",
      "updated_at": "2026-03-02T10:00:02Z",
      "self": "/v1/iaas/image/images/1ae20ef8-1072-4015-aefa-e2e149ac2e20",
      "file": "/v1/iaas/image/images/1ae20ef8-1072-4015-aefa-e2e149ac2e20/file",
      "schema": "/v1/iaas/image/schemas/image"
    }
  },
  "iaas.delete": {
    "status": 204,
    "path": {
      "path": "network/security-groups/aff9c62f-e2d0-4b64-ac54-faf34238c62b"
    },
    "query": {}
  },
  "kubernetes.get": {
    "status": 200,
    "path": {
      "path": "api/v1/namespaces/db-d97b2b739f7a278e207bf834f6e0335d/configmaps/settings"
    },
    "query": {},
    "responseType": "application/json",
    "response": {
      "metadata": {
        "name": "settings",
        "namespace": "db-d97b2b739f7a278e207bf834f6e0335d",
        "uid": "f96c6152-06c9-4336-a0c6-bf85a91e9493",
        "resourceVersion": "1042",
        "creationTimestamp": "2026-03-02T10:00:02Z",
        "managedFields": [
          {
            "manager": "unknown",
            "operation": "Update",
            "apiVersion": "v1",
            "time": "2026-03-02T10:00:02Z",
            "fieldsType": "FieldsV1",
            "fieldsV1": {
              "f:data": {
                ".": {},
                "f:LOG_LEVEL": {}
              }
            }
          }
        ]
      },
      "data": {
        "LOG_LEVEL": "info"
      },
      "apiVersion": "v1",
      "kind": "ConfigMap"
    }
  },
  "kubernetes.post": {
    "status": 201,
    "path": {
      "path": "api/v1/namespaces/db-d97b2b739f7a278e207bf834f6e0335d/configmaps"
    },
    "query": {},
    "requestType": "application/json",
    "request": {
      "metadata": {
        "name": "settings"
      },
      "data": {
        "LOG_LEVEL": "info"
      }
    },
    "responseType": "application/json",
    "response": {
      "metadata": {
        "name": "settings",
        "namespace": "db-d97b2b739f7a278e207bf834f6e0335d",
        "uid": "0ca328dc-a6b0-464b-a096-5bb580d235df",
        "resourceVersion": "1042",
        "creationTimestamp": "2026-03-02T10:00:02Z",
        "managedFields": [
          {
            "manager": "unknown",
            "operation": "Update",
            "apiVersion": "v1",
            "time": "2026-03-02T10:00:02Z",
            "fieldsType": "FieldsV1",
            "fieldsV1": {
              "f:data": {
                ".": {},
                "f:LOG_LEVEL": {}
              }
            }
          }
        ]
      },
      "data": {
        "LOG_LEVEL": "info"
      },
      "apiVersion": "v1",
      "kind": "ConfigMap"
    }
  },
  "kubernetes.put": {
    "status": 200,
    "path": {
      "path": "api/v1/namespaces/db-d97b2b739f7a278e207bf834f6e0335d/configmaps/settings"
    },
    "query": {},
    "requestType": "application/json",
    "request": {
      "metadata": {
        "name": "settings"
      },
      "data": {
        "LOG_LEVEL": "debug"
      }
    },
    "responseType": "application/json",
    "response": {
      "metadata": {
        "name": "settings",
        "uid": "acb601a4-93f4-4fce-afa6-7b28f48809a4",
        "resourceVersion": "1042",
        "creationTimestamp": "2026-03-02T10:00:02Z",
        "namespace": "db-d97b2b739f7a278e207bf834f6e0335d",
        "managedFields": [
          {
            "manager": "unknown",
            "operation": "Update",
            "apiVersion": "v1",
            "time": "2026-03-02T10:00:03Z",
            "fieldsType": "FieldsV1",
            "fieldsV1": {
              "f:data": {
                ".": {},
                "f:LOG_LEVEL": {}
              }
            }
          }
        ]
      },
      "data": {
        "LOG_LEVEL": "debug"
      },
      "apiVersion": "v1",
      "kind": "ConfigMap"
    }
  },
  "kubernetes.patch": {
    "status": 200,
    "path": {
      "path": "api/v1/namespaces/db-d97b2b739f7a278e207bf834f6e0335d/configmaps/settings"
    },
    "query": {},
    "requestType": "application/merge-patch+json",
    "request": {
      "data": {
        "LOG_LEVEL": "warn"
      }
    },
    "responseType": "application/json",
    "response": {
      "metadata": {
        "name": "settings",
        "namespace": "db-d97b2b739f7a278e207bf834f6e0335d",
        "uid": "60348f93-72de-418a-a1c9-463c31d6dc8e",
        "resourceVersion": "1042",
        "creationTimestamp": "2026-03-02T10:00:02Z",
        "managedFields": [
          {
            "manager": "unknown",
            "operation": "Update",
            "apiVersion": "v1",
            "time": "2026-03-02T10:00:03Z",
            "fieldsType": "FieldsV1",
            "fieldsV1": {
              "f:data": {
                ".": {},
                "f:LOG_LEVEL": {}
              }
            }
          }
        ]
      },
      "data": {
        "LOG_LEVEL": "warn"
      },
      "apiVersion": "v1",
      "kind": "ConfigMap"
    }
  },
  "kubernetes.delete": {
    "status": 200,
    "path": {
      "path": "api/v1/namespaces/db-d97b2b739f7a278e207bf834f6e0335d/configmaps/settings"
    },
    "query": {},
    "responseType": "application/json",
    "response": {
      "kind": "Status",
      "apiVersion": "v1",
      "metadata": {},
      "status": "Success",
      "details": {
        "name": "settings",
        "kind": "configmaps",
        "uid": "ccc50958-ee88-44aa-a4a2-c2ade2eb4105"
      }
    }
  },
  "registry.token": {
    "status": 200,
    "path": {},
    "query": {
      "service": "registry",
      "scope": "repository:d97b2b739f7a278e207bf834f6e0335d/app:pull"
    },
    "responseType": "application/json",
    "response": {
      "token": "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJleGFtcGxlIn0.c2lnbmF0dXJl",
      "access_token": "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJleGFtcGxlIn0.c2lnbmF0dXJl",
      "expires_in": 300,
      "issued_at": "2026-03-02T10:00:01Z"
    }
  },
  "registry.oauth": {
    "status": 200,
    "path": {},
    "query": {},
    "requestType": "application/x-www-form-urlencoded",
    "request": {
      "grant_type": "password",
      "username": "token",
      "password": "Tt9kqgecXQwYGqZl0O4DImuNLtgcCCWzeMWoEXAMPLE"
    },
    "responseType": "application/json",
    "response": {
      "token": "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJleGFtcGxlIn0.c2lnbmF0dXJl",
      "access_token": "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJleGFtcGxlIn0.c2lnbmF0dXJl",
      "expires_in": 300,
      "issued_at": "2026-03-02T10:00:01Z",
      "scope": ""
    }
  },
  "registry.keys": {
    "status": 200,
    "path": {},
    "query": {},
    "responseType": "application/json",
    "response": {
      "keys": [
        {
          "kty": "RSA",
          "n": "W9TbaTScC2kvndX999QAL34ohsFsV8bVhUfxdlinDk3qfeUEZ5XA1yjXIDLebHuF5ebx5Ivf3z3t2vJgRPbgegW9TbaTScC2kvndX999QAL34ohsFsV8bVhUfxdlinDk3qfeUEZ5XA1yjXIDLebHuF5ebx5Ivf3z3t2vJgRPbgegW9TbaTScC2kvndX999QAL34ohsFsV8bVhUfxdlinDk3qfeUEZ5XA1yjXIDLebHuF5ebx5Ivf3z3t2vJgRPbgegW9TbaTScC2kvndX999QAL34ohsFsV8bVhUfxdlinDk3qfeUEZ5XA1yjXIDLebHuF5ebx5Ivf3z3t2EXAMPLE",
          "e": "AQAB",
          "kid": "7kcozzbiQG0nxwx8ILgAO3vrZqhMbs0ijd3s2rMp6ekMfUgiLxhmEXAMPLE",
          "alg": "RS256",
          "use": "sig",
          "x5c": [
            "ZBYtjIeHio3SHbzXQEEkQSIt83gSVWhNetEB5jNJwFxixnQYZQuvJTFlRDedptYXnIesGbbDCwjxnnMPbxTorQZBYtjIeHio3SHbzXQEEkQSIt83gSVWhNetEB5jNJwFxixnQYZQuvJTFlRDedptYXnIesGbbDCwjxnnMPbxTorQZBYtjIeHio3SHbzXQEEkQSIt83gSVWhNetEB5jNJwFxixnQYZQuvJTFlRDedptYXnIesGbbDCwjxnnMPbxTorQZBYtjIeHio3SHbzXQEEkQSIt83gSVWhNetEB5jNJwFxixnQYZQuvJTFlRDedptYXnIesGbbDCwjxnnMPbxTorQZBYtjIeHio3SHbzXQEEkQSIt83gSVWhNetEB5jNJwFxixnQYZQuvJTFlRDedptYXnIesGbbDCwjxnnMPbxTorQZBYtjIeHio3SHbzXQEEkQSIt83gSVWhNetEB5jNJwFxixnQYZQuvJTFlRDedptYXnIesGbbDCwjxnnMPbxTorQZBYtjIeHio3SHbzXQEEkQSIt83gSVWhNetEB5jNJwFxixnQYZQuvJTFlRDedptYXnIesGbbDCwjxnnMPbxTorQZBYtjIeHio3SHbzXQEEkQSIt83gSVWhNetEB5jNJwFxixnQYZQuvJTFlRDedptYXnIesGbbDCwjxnnMPbxTorQZBYtjIeHio3SHbzXQEEkQSIt83gSVWhNetEB5jNJwFxixnQYZQuvJTFlRDedptYXnIesGbbDCwjxnnMPbxTorQZBYtjIeHio3SHbzXQEEkQSIt83gSVWhNetEB5jNJwFxixnQYZQuvJTFlRDedptYXnIesGbbDCwjxnnMPbxTorQZBYtjIeHio3SHbzXQEEkQSIt83gSVWhNetEB5jNJwFxixnQYZQuvJTFlRDedptYXnIesGbbDCwjxnnMPbxTorQZBYtjIeHio3SHbzEXAMPLE"
          ]
        }
      ]
    }
  },
  "autoscaling.list": {
    "status": 200,
    "path": {},
    "query": {},
    "responseType": "application/json",
    "response": {
      "count": 0,
      "groups": []
    }
  },
  "autoscaling.create": {
    "status": 201,
    "path": {},
    "query": {},
    "requestType": "application/json",
    "request": {
      "name": "web",
      "min": 2,
      "max": 5,
      "template": {
        "flavor_id": "2",
        "image_id": "aa8b416b-77b8-4142-a30a-627aeb0dc3d4"
      },
      "policies": [
        {
          "name": "scale-out",
          "adjustment": 2,
          "cooldown_seconds": 120
        },
        {
          "name": "scale-in",
          "adjustment": -1,
          "cooldown_seconds": 600
        }
      ]
    },
    "responseType": "application/json",
    "response": {
      "group_id": "asg-922153832a1e",
      "name": "web",
      "min": 2,
      "max": 5,
      "desired": 2,
      "template": {
        "flavor_id": "2",
        "image_id": "aa8b416b-77b8-4142-a30a-627aeb0dc3d4",
        "network_id": "e3314441-96cd-4a44-aa72-c3a228e9adfc",
        "has_user_data": false
      },
      "cooldown_seconds": 300,
      "cooldown_until": null,
      "policies": [
        {
          "name": "scale-out",
          "adjustment": 2,
          "cooldown_seconds": 120
        },
        {
          "name": "scale-in",
          "adjustment": -1,
          "cooldown_seconds": 600
        }
      ],
      "state": "scaling",
      "reason": null,
      "servers": [],
      "observed_at": null,
      "created_at": "2026-03-02T10:00:01.000Z"
    }
  },
  "autoscaling.show": {
    "status": 200,
    "path": {
      "group_id": "asg-7338da876ced"
    },
    "query": {},
    "responseType": "application/json",
    "response": {
      "group_id": "asg-7338da876ced",
      "name": "web",
      "min": 0,
      "max": 5,
      "desired": 0,
      "template": {
        "flavor_id": "2",
        "image_id": "aa8b416b-77b8-4142-a30a-627aeb0dc3d4",
        "network_id": "e3314441-96cd-4a44-aa72-c3a228e9adfc",
        "has_user_data": false
      },
      "cooldown_seconds": 300,
      "cooldown_until": null,
      "policies": [
        {
          "name": "up",
          "adjustment": 1,
          "cooldown_seconds": 0
        }
      ],
      "state": "scaling",
      "reason": null,
      "servers": [],
      "observed_at": null,
      "created_at": "2026-03-02T10:00:01.000Z"
    }
  },
  "autoscaling.update": {
    "status": 200,
    "path": {
      "group_id": "asg-5f94d87c6d76"
    },
    "query": {},
    "requestType": "application/json",
    "request": {
      "desired": 1
    },
    "responseType": "application/json",
    "response": {
      "group_id": "asg-5f94d87c6d76",
      "name": "web",
      "min": 0,
      "max": 5,
      "desired": 1,
      "template": {
        "flavor_id": "2",
        "image_id": "aa8b416b-77b8-4142-a30a-627aeb0dc3d4",
        "network_id": "e3314441-96cd-4a44-aa72-c3a228e9adfc",
        "has_user_data": false
      },
      "cooldown_seconds": 300,
      "cooldown_until": null,
      "policies": [
        {
          "name": "up",
          "adjustment": 1,
          "cooldown_seconds": 0
        }
      ],
      "state": "scaling",
      "reason": null,
      "servers": [],
      "observed_at": null,
      "created_at": "2026-03-02T10:00:01.000Z"
    }
  },
  "autoscaling.remove": {
    "status": 202,
    "path": {
      "group_id": "asg-414384113b9c"
    },
    "query": {},
    "responseType": "application/json",
    "response": {
      "group_id": "asg-414384113b9c",
      "name": "web",
      "min": 0,
      "max": 5,
      "desired": 0,
      "template": {
        "flavor_id": "2",
        "image_id": "aa8b416b-77b8-4142-a30a-627aeb0dc3d4",
        "network_id": "e3314441-96cd-4a44-aa72-c3a228e9adfc",
        "has_user_data": false
      },
      "cooldown_seconds": 300,
      "cooldown_until": null,
      "policies": [
        {
          "name": "up",
          "adjustment": 1,
          "cooldown_seconds": 0
        }
      ],
      "state": "deleting",
      "reason": null,
      "servers": [],
      "observed_at": null,
      "created_at": "2026-03-02T10:00:01.000Z"
    }
  },
  "autoscaling.trigger": {
    "status": 200,
    "path": {
      "group_id": "asg-e2e530dea401",
      "policy": "up"
    },
    "query": {},
    "responseType": "application/json",
    "response": {
      "applied": true,
      "reason": null,
      "group": {
        "group_id": "asg-e2e530dea401",
        "name": "web",
        "min": 0,
        "max": 5,
        "desired": 1,
        "template": {
          "flavor_id": "2",
          "image_id": "aa8b416b-77b8-4142-a30a-627aeb0dc3d4",
          "network_id": "e3314441-96cd-4a44-aa72-c3a228e9adfc",
          "has_user_data": false
        },
        "cooldown_seconds": 300,
        "cooldown_until": "2026-03-02T10:00:02.000Z",
        "policies": [
          {
            "name": "up",
            "adjustment": 1,
            "cooldown_seconds": 0
          }
        ],
        "state": "scaling",
        "reason": null,
        "servers": [],
        "observed_at": null,
        "created_at": "2026-03-02T10:00:01.000Z"
      }
    }
  },
  "object-storage.listBuckets": {
    "status": 200,
    "path": {},
    "query": {},
    "responseType": "application/json",
    "response": {
      "buckets": [
        {
          "name": "acme-media",
          "objects": 2,
          "size_bytes": 15,
          "modified": "2026-03-02T10:00:01.000Z",
          "managed_by": null
        }
      ],
      "count": 1,
      "endpoint": "https://objects.portico.example"
    }
  },
  "object-storage.createBucket": {
    "status": 201,
    "path": {},
    "query": {},
    "requestType": "application/json",
    "request": {
      "name": "acme-media"
    },
    "responseType": "application/json",
    "response": {
      "buckets": [
        {
          "name": "acme-media",
          "objects": 2,
          "size_bytes": 15,
          "modified": "2026-03-02T10:00:01.000Z",
          "managed_by": null
        }
      ],
      "count": 1,
      "endpoint": "https://objects.portico.example"
    }
  },
  "object-storage.removeBucket": {
    "status": 200,
    "path": {
      "name": "acme-scratch"
    },
    "query": {},
    "responseType": "application/json",
    "response": {
      "name": "acme-scratch",
      "deleted": true
    }
  },
  "object-storage.listObjects": {
    "status": 200,
    "path": {
      "name": "acme-media"
    },
    "query": {
      "prefix": "reports/",
      "delimiter": "/",
      "limit": "100"
    },
    "responseType": "application/json",
    "response": {
      "bucket": "acme-media",
      "prefix": "reports/",
      "common_prefixes": [],
      "objects": [
        {
          "key": "reports/2026-01.pdf",
          "size_bytes": 7,
          "modified": "2026-03-02T10:00:02.000Z",
          "etag": "255aaa390ac5e9faa436c2f903803df9",
          "storage_class": "STANDARD"
        },
        {
          "key": "reports/2026-02.pdf",
          "size_bytes": 8,
          "modified": "2026-03-02T10:00:02.000Z",
          "etag": "613b9337e00a7813cee4d79e7b41a734",
          "storage_class": "STANDARD"
        }
      ],
      "next_continuation_token": null
    }
  },
  "object-storage.listVersions": {
    "status": 200,
    "path": {
      "name": "acme-media"
    },
    "query": {
      "prefix": "reports/",
      "limit": "100"
    },
    "responseType": "application/json",
    "response": {
      "bucket": "acme-media",
      "prefix": "reports/",
      "versions": [
        {
          "key": "reports/2026-01.pdf",
          "version_id": "null",
          "latest": true,
          "delete_marker": false,
          "size_bytes": 7,
          "modified": "2026-03-02T10:00:02.000Z",
          "etag": "255aaa390ac5e9faa436c2f903803df9",
          "storage_class": "STANDARD"
        },
        {
          "key": "reports/2026-02.pdf",
          "version_id": "null",
          "latest": true,
          "delete_marker": false,
          "size_bytes": 8,
          "modified": "2026-03-02T10:00:02.000Z",
          "etag": "613b9337e00a7813cee4d79e7b41a734",
          "storage_class": "STANDARD"
        }
      ],
      "next_continuation_token": null
    }
  },
  "object-storage.removeObject": {
    "status": 200,
    "path": {
      "name": "acme-media",
      "key": "reports/2026-01.pdf"
    },
    "query": {},
    "responseType": "application/json",
    "response": {
      "bucket": "acme-media",
      "key": "reports/2026-01.pdf",
      "version_id": null,
      "delete_marker": false,
      "deleted": true
    }
  },
  "object-storage.presign": {
    "status": 200,
    "path": {
      "name": "acme-media",
      "key": "reports/2026-02.pdf"
    },
    "query": {
      "expires_in": "900"
    },
    "responseType": "application/json",
    "response": {
      "url": "https://objects.portico.example/acme-media/reports/2026-02.pdf?X-Amz-Content-Sha256=UNSIGNED-PAYLOAD&X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=tenant%24d97b2b739f7a278e207bf834f6e0335d-20260302100001000-9c478606%2F20260302%2Fdefault%2Fs3%2Faws4_request&X-Amz-Date=20260302T100003Z&X-Amz-Expires=900&X-Amz-SignedHeaders=host&X-Amz-Signature=c07eb1159a7018544a3ea2bf68f3274ec3b6caba6f31f81463baaae208083c68",
      "method": "GET",
      "expires_in": 900,
      "expires_at": "2026-03-02T10:15:03.000Z"
    }
  },
  "object-storage.presignUpload": {
    "status": 200,
    "path": {
      "name": "acme-media",
      "key": "new/one"
    },
    "query": {},
    "requestType": "application/json",
    "request": {
      "content_length": 7,
      "content_type": "text/plain"
    },
    "responseType": "application/json",
    "response": {
      "url": "https://objects.portico.example/acme-media/new/one?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=tenant%24d97b2b739f7a278e207bf834f6e0335d-20260302100001000-9c478606%2F20260302%2Fdefault%2Fs3%2Faws4_request&X-Amz-Date=20260302T100002Z&X-Amz-Expires=120&X-Amz-SignedHeaders=content-length%3Bcontent-type%3Bhost%3Bif-none-match%3Bx-amz-acl%3Bx-amz-copy-source%3Bx-amz-copy-source-range%3Bx-amz-grant-full-control%3Bx-amz-grant-read%3Bx-amz-grant-read-acp%3Bx-amz-grant-write%3Bx-amz-grant-write-acp%3Bx-amz-object-lock-legal-hold%3Bx-amz-object-lock-mode%3Bx-amz-object-lock-retain-until-date%3Bx-amz-security-token%3Bx-amz-server-side-encryption%3Bx-amz-server-side-encryption-aws-kms-key-id%3Bx-amz-server-side-encryption-customer-algorithm%3Bx-amz-server-side-encryption-customer-key%3Bx-amz-server-side-encryption-customer-key-md5%3Bx-amz-storage-class%3Bx-amz-tagging%3Bx-amz-website-redirect-location&X-Amz-Signature=331e5c771ab0f3253aa74235961389309fec1e0c0c198df98927e05472f8da9f",
      "method": "PUT",
      "headers": {
        "content-type": "text/plain",
        "if-none-match": "*"
      },
      "content_length": 7,
      "expires_in": 120,
      "expires_at": "2026-03-02T10:02:02.000Z"
    }
  },
  "object-storage.versioning": {
    "status": 200,
    "path": {
      "name": "acme-media"
    },
    "query": {},
    "responseType": "application/json",
    "response": {
      "bucket": "acme-media",
      "versioning": "unset"
    }
  },
  "object-storage.setVersioning": {
    "status": 200,
    "path": {
      "name": "acme-media"
    },
    "query": {},
    "requestType": "application/json",
    "request": {
      "versioning": "enabled"
    },
    "responseType": "application/json",
    "response": {
      "bucket": "acme-media",
      "versioning": "enabled"
    }
  },
  "object-storage.cors": {
    "status": 200,
    "path": {
      "name": "acme-media"
    },
    "query": {},
    "responseType": "application/json",
    "response": {
      "bucket": "acme-media",
      "rules": [
        {
          "allowed_origins": [
            "https://app.example"
          ],
          "allowed_methods": [
            "GET",
            "PUT"
          ],
          "allowed_headers": [
            "content-type",
            "if-none-match"
          ],
          "expose_headers": [
            "ETag"
          ],
          "max_age_seconds": 3600
        }
      ]
    }
  },
  "object-storage.setCors": {
    "status": 200,
    "path": {
      "name": "acme-media"
    },
    "query": {},
    "requestType": "application/json",
    "request": {
      "rules": [
        {
          "allowed_origins": [
            "https://app.example"
          ],
          "allowed_methods": [
            "GET",
            "PUT"
          ],
          "allowed_headers": [
            "content-type",
            "if-none-match"
          ],
          "expose_headers": [
            "ETag"
          ],
          "max_age_seconds": 3600
        }
      ]
    },
    "responseType": "application/json",
    "response": {
      "bucket": "acme-media",
      "rules": [
        {
          "allowed_origins": [
            "https://app.example"
          ],
          "allowed_methods": [
            "GET",
            "PUT"
          ],
          "allowed_headers": [
            "content-type",
            "if-none-match"
          ],
          "expose_headers": [
            "ETag"
          ],
          "max_age_seconds": 3600
        }
      ]
    }
  },
  "object-storage.removeCors": {
    "status": 200,
    "path": {
      "name": "acme-media"
    },
    "query": {},
    "responseType": "application/json",
    "response": {
      "bucket": "acme-media",
      "deleted": true
    }
  },
  "object-storage.credentials": {
    "status": 200,
    "path": {},
    "query": {},
    "responseType": "application/json",
    "response": {
      "access_key": "tenant$d97b2b739f7a278e207bf834f6e0335d-20260302100001000-9c478606",
      "secret_key": "dC2o0QOZjVZ9SraM40l9YY1wraGs5dNZJEXAMPLE",
      "uid": "tenant$d97b2b739f7a278e207bf834f6e0335d",
      "endpoint": "https://objects.portico.example"
    }
  },
  "object-storage.rotate": {
    "status": 200,
    "path": {},
    "query": {},
    "responseType": "application/json",
    "response": {
      "access_key": "tenant$d97b2b739f7a278e207bf834f6e0335d-20260302100004000-3ba2d2b5",
      "secret_key": "C9k0wX8P0WIRCD1xQxqlYtkzuxBuWiP15EXAMPLE",
      "uid": "tenant$d97b2b739f7a278e207bf834f6e0335d",
      "endpoint": "https://objects.portico.example"
    }
  },
  "object-storage.listKeys": {
    "status": 200,
    "path": {},
    "query": {},
    "responseType": "application/json",
    "response": {
      "count": 1,
      "keys": [
        {
          "access_key": "tenant$d97b2b739f7a278e207bf834f6e0335d-20260302100008000-57ecbbf4",
          "created_at": "2026-03-02T10:00:08.000Z",
          "current": true
        }
      ]
    }
  },
  "object-storage.removeKey": {
    "status": 200,
    "path": {
      "access_key": "tenant$d97b2b739f7a278e207bf834f6e0335d-20260302100003000-08ee0323"
    },
    "query": {},
    "responseType": "application/json",
    "response": {
      "access_key": "tenant$d97b2b739f7a278e207bf834f6e0335d-20260302100003000-08ee0323",
      "deleted": true
    }
  },
  "databases.list": {
    "status": 200,
    "path": {},
    "query": {},
    "responseType": "application/json",
    "response": {
      "count": 1,
      "next_cursor": null,
      "databases": [
        {
          "engine": "postgres",
          "name": "orders",
          "version": "17",
          "size_gb": 1,
          "replicas": 1,
          "status": "provisioning",
          "reason": "Setting up primary: Creating primary instance orders-copy",
          "created_at": "2026-03-02T10:00:01.000Z",
          "backup": {
            "enabled": true,
            "schedule": "0 30 2 * * *",
            "retention_days": 30
          },
          "restored_from": null
        }
      ]
    }
  },
  "databases.create": {
    "status": 201,
    "path": {},
    "query": {},
    "requestType": "application/json",
    "request": {
      "engine": "postgres",
      "name": "orders",
      "version": "17",
      "size_gb": 20,
      "backup": {
        "enabled": true
      }
    },
    "responseType": "application/json",
    "response": {
      "engine": "postgres",
      "name": "orders",
      "version": "17",
      "size_gb": 20,
      "replicas": 1,
      "status": "pending",
      "reason": "the operator has not reported yet",
      "created_at": "2026-03-02T10:00:02.000Z",
      "backup": {
        "enabled": true,
        "schedule": "0 30 2 * * *",
        "retention_days": 30
      },
      "restored_from": null
    }
  },
  "databases.show": {
    "status": 200,
    "path": {
      "engine": "postgres",
      "name": "orders"
    },
    "query": {},
    "responseType": "application/json",
    "response": {
      "engine": "postgres",
      "name": "orders",
      "version": "17",
      "size_gb": 1,
      "replicas": 1,
      "status": "provisioning",
      "reason": "Setting up primary: Creating primary instance orders-copy",
      "created_at": "2026-03-02T10:00:01.000Z",
      "backup": {
        "enabled": true,
        "schedule": "0 30 2 * * *",
        "retention_days": 30,
        "earliest_recovery_point": "2026-03-02T09:00:01.000Z",
        "latest_recovery_point": null,
        "last_successful_at": "2026-03-02T09:00:01.000Z"
      },
      "restored_from": null,
      "ready": false,
      "endpoint": {
        "host": "orders-rw.db-d97b2b739f7a278e207bf834f6e0335d.svc",
        "port": 5432
      },
      "events": [
        {
          "at": "2026-03-02T10:00:02.000Z",
          "type": "Normal",
          "reason": "CreatingInstance",
          "message": "Primary instance (initdb)",
          "object": "Cluster/orders",
          "count": 1
        }
      ]
    }
  },
  "databases.resize": {
    "status": 200,
    "path": {
      "engine": "postgres",
      "name": "orders"
    },
    "query": {},
    "requestType": "application/json",
    "request": {
      "size_gb": 2
    },
    "responseType": "application/json",
    "response": {
      "engine": "postgres",
      "name": "orders",
      "version": "17",
      "size_gb": 2,
      "replicas": 1,
      "status": "provisioning",
      "reason": "Setting up primary: Creating primary instance orders-copy",
      "created_at": "2026-03-02T10:00:01.000Z",
      "backup": {
        "enabled": true,
        "schedule": "0 30 2 * * *",
        "retention_days": 30
      },
      "restored_from": null
    }
  },
  "databases.remove": {
    "status": 200,
    "path": {
      "engine": "postgres",
      "name": "orders-copy"
    },
    "query": {},
    "responseType": "application/json",
    "response": {
      "engine": "postgres",
      "name": "orders-copy",
      "version": "17",
      "size_gb": 1,
      "replicas": 1,
      "status": "deleting",
      "reason": "the database is being deleted",
      "created_at": "2026-03-02T10:00:02.000Z",
      "backup": null,
      "restored_from": null
    }
  },
  "databases.credentials": {
    "status": 200,
    "path": {
      "engine": "postgres",
      "name": "orders"
    },
    "query": {},
    "responseType": "application/json",
    "response": {
      "engine": "postgres",
      "username": "app",
      "password": "q7ZtW2mLxR9kVbEXAMPLE",
      "uri": "postgresql://app:q7ZtW2mLxR9kVbEXAMPLE@orders-rw.db-acme.svc:5432/app",
      "host": "orders-rw.db-acme.svc",
      "port": 5432,
      "dbname": "app"
    }
  },
  "databases.rotateCredentials": {
    "status": 200,
    "path": {
      "engine": "postgres",
      "name": "orders"
    },
    "query": {},
    "responseType": "application/json",
    "response": {
      "engine": "postgres",
      "name": "orders",
      "credentials": "/v1/databases/postgres/orders/credentials"
    }
  },
  "databases.restore": {
    "status": 201,
    "path": {
      "engine": "postgres",
      "name": "orders"
    },
    "query": {},
    "requestType": "application/json",
    "request": {
      "name": "orders-copy"
    },
    "responseType": "application/json",
    "response": {
      "engine": "postgres",
      "name": "orders-copy",
      "version": "17",
      "size_gb": 2,
      "replicas": 1,
      "status": "pending",
      "reason": "the operator has not reported yet",
      "created_at": "2026-03-02T10:00:03.000Z",
      "backup": {
        "enabled": true,
        "schedule": "0 30 2 * * *",
        "retention_days": 30
      },
      "restored_from": "orders"
    }
  },
  "nat-gateways.list": {
    "status": 200,
    "path": {},
    "query": {},
    "responseType": "application/json",
    "response": {
      "count": 1,
      "nat_gateways": [
        {
          "ngw_id": "ngw-c9a44b87-7f59-47b8-ac90-0e5f1d31beb1",
          "router_id": "c9a44b87-7f59-47b8-ac90-0e5f1d31beb1",
          "network_id": "e3314441-96cd-4a44-aa72-c3a228e9adfc",
          "subnet_ids": [
            "b58a8abb-42a0-414e-ad42-0492f04a46ed"
          ],
          "external_network_id": "83b2b26e-02ef-4b01-a27e-b9e4ce7a3556",
          "public_ip": "203.0.113.2",
          "public_ips": [
            "203.0.113.2"
          ],
          "state": "active"
        }
      ]
    }
  },
  "nat-gateways.create": {
    "status": 201,
    "path": {},
    "query": {},
    "responseType": "application/json",
    "response": {
      "ngw_id": "ngw-c9a44b87-7f59-47b8-ac90-0e5f1d31beb1",
      "router_id": "c9a44b87-7f59-47b8-ac90-0e5f1d31beb1",
      "network_id": "e3314441-96cd-4a44-aa72-c3a228e9adfc",
      "subnet_ids": [
        "b58a8abb-42a0-414e-ad42-0492f04a46ed"
      ],
      "external_network_id": "83b2b26e-02ef-4b01-a27e-b9e4ce7a3556",
      "public_ip": "203.0.113.2",
      "public_ips": [
        "203.0.113.2"
      ],
      "state": "active"
    }
  },
  "nat-gateways.show": {
    "status": 200,
    "path": {
      "ngw_id": "ngw-c9a44b87-7f59-47b8-ac90-0e5f1d31beb1"
    },
    "query": {},
    "responseType": "application/json",
    "response": {
      "ngw_id": "ngw-c9a44b87-7f59-47b8-ac90-0e5f1d31beb1",
      "router_id": "c9a44b87-7f59-47b8-ac90-0e5f1d31beb1",
      "network_id": "e3314441-96cd-4a44-aa72-c3a228e9adfc",
      "subnet_ids": [
        "b58a8abb-42a0-414e-ad42-0492f04a46ed"
      ],
      "external_network_id": "83b2b26e-02ef-4b01-a27e-b9e4ce7a3556",
      "public_ip": "203.0.113.2",
      "public_ips": [
        "203.0.113.2"
      ],
      "state": "active"
    }
  },
  "nat-gateways.remove": {
    "status": 200,
    "path": {
      "ngw_id": "ngw-c9a44b87-7f59-47b8-ac90-0e5f1d31beb1"
    },
    "query": {},
    "responseType": "application/json",
    "response": {
      "ngw_id": "ngw-c9a44b87-7f59-47b8-ac90-0e5f1d31beb1",
      "router_id": "c9a44b87-7f59-47b8-ac90-0e5f1d31beb1",
      "network_id": "e3314441-96cd-4a44-aa72-c3a228e9adfc",
      "subnet_ids": [
        "b58a8abb-42a0-414e-ad42-0492f04a46ed"
      ],
      "external_network_id": "83b2b26e-02ef-4b01-a27e-b9e4ce7a3556",
      "public_ip": "203.0.113.2",
      "public_ips": [
        "203.0.113.2"
      ],
      "state": "deleted"
    }
  },
  "dns.zones": {
    "status": 200,
    "path": {},
    "query": {},
    "responseType": "application/json",
    "response": {
      "count": 1,
      "next_cursor": null,
      "zones": [
        {
          "zone_id": "8809c0a6-1d02-466b-a84e-945e32c99f2e",
          "name": "acme-shop.example.",
          "email": "hostmaster@acme.example",
          "ttl": 3600,
          "serial": 1,
          "description": null,
          "status": "ACTIVE",
          "action": "NONE",
          "created_at": "2026-02-10T08:30:00.000Z",
          "updated_at": "2026-02-10T08:30:00.000Z"
        }
      ]
    }
  },
  "dns.createZone": {
    "status": 201,
    "path": {},
    "query": {},
    "requestType": "application/json",
    "request": {
      "name": "acme-shop.example.",
      "email": "hostmaster@acme.example",
      "ttl": 3600
    },
    "responseType": "application/json",
    "response": {
      "zone_id": "6c52ea1e-a04c-4eac-acf2-8f79d3789692",
      "name": "acme-shop.example.",
      "email": "hostmaster@acme.example",
      "ttl": 3600,
      "serial": 1772445601,
      "description": null,
      "status": "PENDING",
      "action": "CREATE",
      "created_at": "2026-03-02T10:00:01.000Z",
      "updated_at": null
    }
  },
  "dns.showZone": {
    "status": 200,
    "path": {
      "zone_id": "cd41f265-8ea0-4efd-a082-6a694215c660"
    },
    "query": {},
    "responseType": "application/json",
    "response": {
      "zone_id": "cd41f265-8ea0-4efd-a082-6a694215c660",
      "name": "acme-shop.example.",
      "email": "hostmaster@acme.example",
      "ttl": 3600,
      "serial": 1,
      "description": null,
      "status": "ACTIVE",
      "action": "NONE",
      "created_at": "2026-02-10T08:30:00.000Z",
      "updated_at": "2026-02-10T08:30:00.000Z"
    }
  },
  "dns.changeZone": {
    "status": 200,
    "path": {
      "zone_id": "66d1772b-6720-4040-a409-40803c48827c"
    },
    "query": {},
    "requestType": "application/json",
    "request": {
      "ttl": 300
    },
    "responseType": "application/json",
    "response": {
      "zone_id": "66d1772b-6720-4040-a409-40803c48827c",
      "name": "acme-shop.example.",
      "email": "hostmaster@acme.example",
      "ttl": 300,
      "serial": 1772445601,
      "description": null,
      "status": "PENDING",
      "action": "UPDATE",
      "created_at": "2026-02-10T08:30:00.000Z",
      "updated_at": "2026-03-02T10:00:01.000Z"
    }
  },
  "dns.removeZone": {
    "status": 202,
    "path": {
      "zone_id": "8e780a53-4a67-4e82-a121-fa9a41255d29"
    },
    "query": {},
    "responseType": "application/json",
    "response": {
      "zone_id": "8e780a53-4a67-4e82-a121-fa9a41255d29",
      "name": "acme-shop.example.",
      "email": "hostmaster@acme.example",
      "ttl": 3600,
      "serial": 1,
      "description": null,
      "status": "PENDING",
      "action": "DELETE",
      "created_at": "2026-02-10T08:30:00.000Z",
      "updated_at": "2026-02-10T08:30:00.000Z"
    }
  },
  "dns.recordsets": {
    "status": 200,
    "path": {
      "zone_id": "05224253-5795-4b68-a2bb-f4a86f08aa56"
    },
    "query": {
      "type": "A",
      "limit": "10"
    },
    "responseType": "application/json",
    "response": {
      "count": 1,
      "next_cursor": null,
      "recordsets": [
        {
          "recordset_id": "66266b4e-3920-4f92-a594-6efbfb6603e0",
          "zone_id": "05224253-5795-4b68-a2bb-f4a86f08aa56",
          "name": "www.acme-shop.example.",
          "type": "A",
          "ttl": null,
          "records": [
            "192.0.2.1"
          ],
          "description": null,
          "read_only": false,
          "status": "ACTIVE",
          "action": "NONE",
          "created_at": "2026-02-10T08:30:00.000Z",
          "updated_at": null
        }
      ]
    }
  },
  "dns.createRecordset": {
    "status": 201,
    "path": {
      "zone_id": "e97733e3-63c5-4662-a06d-aee65b41b8bc"
    },
    "query": {},
    "requestType": "application/json",
    "request": {
      "name": "api",
      "type": "A",
      "ttl": 300,
      "records": [
        "203.0.113.20",
        "203.0.113.21"
      ]
    },
    "responseType": "application/json",
    "response": {
      "recordset_id": "e4578fdb-401c-4dfe-a40b-e10217748aac",
      "zone_id": "e97733e3-63c5-4662-a06d-aee65b41b8bc",
      "name": "api.acme-shop.example.",
      "type": "A",
      "ttl": 300,
      "records": [
        "203.0.113.20",
        "203.0.113.21"
      ],
      "description": null,
      "read_only": false,
      "status": "PENDING",
      "action": "CREATE",
      "created_at": "2026-03-02T10:00:01.000Z",
      "updated_at": null
    }
  },
  "dns.changeRecordset": {
    "status": 200,
    "path": {
      "zone_id": "24d5656f-0d9a-4227-a1f0-cf531a4b83d0",
      "recordset_id": "f29e96bb-593e-4c52-a328-21b93fec1426"
    },
    "query": {},
    "requestType": "application/json",
    "request": {
      "ttl": 300
    },
    "responseType": "application/json",
    "response": {
      "recordset_id": "f29e96bb-593e-4c52-a328-21b93fec1426",
      "zone_id": "24d5656f-0d9a-4227-a1f0-cf531a4b83d0",
      "name": "www.acme-shop.example.",
      "type": "A",
      "ttl": 300,
      "records": [
        "192.0.2.1"
      ],
      "description": null,
      "read_only": false,
      "status": "PENDING",
      "action": "UPDATE",
      "created_at": "2026-02-10T08:30:00.000Z",
      "updated_at": "2026-03-02T10:00:01.000Z"
    }
  },
  "dns.removeRecordset": {
    "status": 202,
    "path": {
      "zone_id": "d2f7e9db-3503-44be-a6d5-a6050d9629ca",
      "recordset_id": "f4189705-9383-486d-a663-69a39d80a077"
    },
    "query": {},
    "responseType": "application/json",
    "response": {
      "recordset_id": "f4189705-9383-486d-a663-69a39d80a077",
      "zone_id": "d2f7e9db-3503-44be-a6d5-a6050d9629ca",
      "name": "www.acme-shop.example.",
      "type": "A",
      "ttl": null,
      "records": [
        "192.0.2.1"
      ],
      "description": null,
      "read_only": false,
      "status": "PENDING",
      "action": "DELETE",
      "created_at": "2026-02-10T08:30:00.000Z",
      "updated_at": null
    }
  },
  "dns.importZone": {
    "status": 200,
    "path": {
      "zone_id": "21d710d3-dda1-43ca-ad13-65394bde202b"
    },
    "query": {},
    "requestType": "application/json",
    "request": {
      "zonefile": "api 300 IN A 203.0.113.20\nmail 3600 IN MX 10 mx.acme.example.\n",
      "dry_run": true
    },
    "responseType": "application/json",
    "response": {
      "dry_run": true,
      "create": [
        {
          "name": "api.acme-shop.example.",
          "type": "A",
          "ttl": 300,
          "records": [
            "203.0.113.20"
          ]
        },
        {
          "name": "mail.acme-shop.example.",
          "type": "MX",
          "ttl": 3600,
          "records": [
            "10 mx.acme.example."
          ]
        }
      ],
      "update": [],
      "unchanged": 0,
      "delete": [],
      "skipped": []
    }
  },
  "dns.delegation": {
    "status": 200,
    "path": {
      "zone_id": "82e79526-bcb0-4199-ac13-b2f901d811e9"
    },
    "query": {},
    "responseType": "application/json",
    "response": {
      "zone": "acme-shop.example.",
      "expected": [
        "ns1.dns.portico.example.",
        "ns2.dns.portico.example."
      ],
      "found": [],
      "delegated": false,
      "status": "absent",
      "missing": [
        "ns1.dns.portico.example.",
        "ns2.dns.portico.example."
      ],
      "extra": [],
      "checked_at": "2026-03-02T10:00:01.000Z"
    }
  },
  "edge.list": {
    "status": 200,
    "path": {},
    "query": {},
    "responseType": "application/json",
    "response": {
      "count": 1,
      "exposures": [
        {
          "exposure_id": "edge-b49d26415b2f",
          "name": "shop",
          "hostname": "shop-b49d2641.edge.portico.example",
          "domain": {
            "name": "shop.acme.example",
            "state": "pending",
            "challenge": {
              "name": "_ig1-challenge.shop.acme.example.",
              "type": "TXT",
              "value": "ig1-e395aab1a212e8b432b6f4dae0d8e83629094444"
            },
            "claimed_at": "2026-03-02T10:00:03.000Z",
            "expires_at": "2026-03-05T10:00:03.000Z"
          },
          "target": {
            "service": "web",
            "port": 80
          },
          "state": "pending",
          "reason": "Its domain is not verified: publish the TXT record of domain.challenge, then send POST /v1/edge/exposures/edge-b49d26415b2f/verify.",
          "url": "https://shop-b49d2641.edge.portico.example",
          "created_at": "2026-03-02T10:00:03.000Z"
        }
      ]
    }
  },
  "edge.create": {
    "status": 201,
    "path": {},
    "query": {},
    "requestType": "application/json",
    "request": {
      "name": "shop",
      "target": {
        "service": "web",
        "port": 80
      },
      "domain": "shop.acme.example"
    },
    "responseType": "application/json",
    "response": {
      "exposure_id": "edge-03975b73e3d6",
      "name": "shop",
      "hostname": "shop-03975b73.edge.portico.example",
      "domain": {
        "name": "shop.acme.example",
        "state": "pending",
        "challenge": {
          "name": "_ig1-challenge.shop.acme.example.",
          "type": "TXT",
          "value": "ig1-1126d9befb33f563862c16a5297d8408c6f0e4bf"
        },
        "claimed_at": "2026-03-02T10:00:04.000Z",
        "expires_at": "2026-03-05T10:00:04.000Z"
      },
      "target": {
        "service": "web",
        "port": 80
      },
      "state": "pending",
      "reason": "Its domain is not verified: publish the TXT record of domain.challenge, then send POST /v1/edge/exposures/edge-03975b73e3d6/verify.",
      "url": "https://shop-03975b73.edge.portico.example",
      "created_at": "2026-03-02T10:00:04.000Z"
    }
  },
  "edge.show": {
    "status": 200,
    "path": {
      "exposure_id": "edge-f234d92de5e9"
    },
    "query": {},
    "responseType": "application/json",
    "response": {
      "exposure_id": "edge-f234d92de5e9",
      "name": "shop",
      "hostname": "shop-f234d92d.edge.portico.example",
      "domain": {
        "name": "shop.acme.example",
        "state": "pending",
        "challenge": {
          "name": "_ig1-challenge.shop.acme.example.",
          "type": "TXT",
          "value": "ig1-dafc46f579e1903465323ec31fe4df2ccf3efa00"
        },
        "claimed_at": "2026-03-02T10:00:04.000Z",
        "expires_at": "2026-03-05T10:00:04.000Z"
      },
      "target": {
        "service": "web",
        "port": 80
      },
      "state": "pending",
      "reason": "Its domain is not verified: publish the TXT record of domain.challenge, then send POST /v1/edge/exposures/edge-f234d92de5e9/verify.",
      "url": "https://shop-f234d92d.edge.portico.example",
      "created_at": "2026-03-02T10:00:04.000Z"
    }
  },
  "edge.remove": {
    "status": 200,
    "path": {
      "exposure_id": "edge-2c03307a4458"
    },
    "query": {},
    "responseType": "application/json",
    "response": {
      "exposure_id": "edge-2c03307a4458",
      "name": "shop",
      "hostname": "shop-2c03307a.edge.portico.example",
      "domain": {
        "name": "shop.acme.example",
        "state": "pending",
        "challenge": {
          "name": "_ig1-challenge.shop.acme.example.",
          "type": "TXT",
          "value": "ig1-accd159a58cf38a0fccf3bc47fa03398fac502f1"
        },
        "claimed_at": "2026-03-02T10:00:04.000Z",
        "expires_at": "2026-03-05T10:00:04.000Z"
      },
      "target": {
        "service": "web",
        "port": 80
      },
      "state": "pending",
      "reason": "It is being removed.",
      "url": "https://shop-2c03307a.edge.portico.example",
      "created_at": "2026-03-02T10:00:04.000Z"
    }
  },
  "edge.verify": {
    "status": 200,
    "path": {
      "exposure_id": "edge-540bb06a5350"
    },
    "query": {},
    "responseType": "application/json",
    "response": {
      "exposure_id": "edge-540bb06a5350",
      "name": "shop",
      "hostname": "shop-540bb06a.edge.portico.example",
      "domain": {
        "name": "shop.acme.example",
        "state": "pending",
        "challenge": {
          "name": "_ig1-challenge.shop.acme.example.",
          "type": "TXT",
          "value": "ig1-081585f7be08d7cb440f9deab2f0c552bf4f0e14"
        },
        "claimed_at": "2026-03-02T10:00:03.000Z",
        "expires_at": "2026-03-05T10:00:03.000Z"
      },
      "target": {
        "service": "web",
        "port": 80
      },
      "state": "pending",
      "reason": "Its domain is not verified: publish the TXT record of domain.challenge, then send POST /v1/edge/exposures/edge-540bb06a5350/verify.",
      "url": "https://shop-540bb06a.edge.portico.example",
      "created_at": "2026-03-02T10:00:03.000Z",
      "check": {
        "name": "_ig1-challenge.shop.acme.example.",
        "records": 0,
        "proved": false,
        "checked_at": "2026-03-02T10:00:04.000Z"
      }
    }
  },
  "edge.resync": {
    "status": 200,
    "path": {},
    "query": {},
    "responseType": "application/json",
    "response": {
      "count": 1,
      "changed": 0,
      "exposures": [
        {
          "exposure_id": "edge-857b22d69b7c",
          "name": "shop",
          "changes": []
        }
      ]
    }
  },
  "metrics.history": {
    "status": 200,
    "path": {
      "id": "25e347df-c09f-489f-a69e-e7c3cc8fae25"
    },
    "query": {
      "metric": "memory",
      "step": "600"
    },
    "responseType": "application/json",
    "response": {
      "instance_id": "25e347df-c09f-489f-a69e-e7c3cc8fae25",
      "metric": "memory",
      "unit": "percent",
      "from": "2026-03-02T09:10:00.000Z",
      "to": "2026-03-02T10:00:00.000Z",
      "step_seconds": 600,
      "points": [
        {
          "at": "2026-03-02T09:10:00.000Z",
          "value": 22.313024999999996
        },
        {
          "at": "2026-03-02T09:20:00.000Z",
          "value": 18.512750000000004
        },
        {
          "at": "2026-03-02T09:30:00.000Z",
          "value": 24.199749999999995
        },
        {
          "at": "2026-03-02T09:40:00.000Z",
          "value": 33.686975000000004
        },
        {
          "at": "2026-03-02T09:50:00.000Z",
          "value": 37.48725
        },
        {
          "at": "2026-03-02T10:00:00.000Z",
          "value": 31.80025
        }
      ]
    }
  },
  "alarms.list": {
    "status": 200,
    "path": {},
    "query": {
      "state": "insufficient_data"
    },
    "responseType": "application/json",
    "response": {
      "count": 0,
      "alarms": []
    }
  },
  "alarms.create": {
    "status": 201,
    "path": {},
    "query": {},
    "requestType": "application/json",
    "request": {
      "name": "High load on the web server",
      "description": "More than 90 percent for five minutes",
      "severity": "moderate",
      "rule": {
        "metric": "cpu",
        "instance_id": "25e347df-c09f-489f-a69e-e7c3cc8fae25",
        "comparison": "gt",
        "threshold": 90,
        "period_seconds": 60,
        "evaluation_periods": 5
      }
    },
    "responseType": "application/json",
    "response": {
      "alarm_id": "alm-7f0454a1c6d4",
      "name": "High load on the web server",
      "description": "More than 90 percent for five minutes",
      "severity": "moderate",
      "enabled": true,
      "rule": {
        "metric": "cpu",
        "instance_id": "25e347df-c09f-489f-a69e-e7c3cc8fae25",
        "comparison": "gt",
        "threshold": 90,
        "period_seconds": 60,
        "evaluation_periods": 5
      },
      "state": "insufficient_data",
      "reason": "Not evaluated yet",
      "last_transition_at": null,
      "evaluated_at": null,
      "created_at": "2026-03-02T10:00:01.000Z"
    }
  },
  "alarms.show": {
    "status": 200,
    "path": {
      "alarm_id": "alm-7ad5f22dc9e0"
    },
    "query": {},
    "responseType": "application/json",
    "response": {
      "alarm_id": "alm-7ad5f22dc9e0",
      "name": "High load on the web server",
      "description": null,
      "severity": "low",
      "enabled": true,
      "rule": {
        "metric": "cpu",
        "instance_id": "25e347df-c09f-489f-a69e-e7c3cc8fae25",
        "comparison": "gt",
        "threshold": 90,
        "period_seconds": 60,
        "evaluation_periods": 1
      },
      "state": "insufficient_data",
      "reason": "Not evaluated yet",
      "last_transition_at": null,
      "evaluated_at": null,
      "created_at": "2026-03-02T10:00:01.000Z"
    }
  },
  "alarms.update": {
    "status": 200,
    "path": {
      "alarm_id": "alm-9002455c7ee2"
    },
    "query": {},
    "requestType": "application/json",
    "request": {
      "enabled": false
    },
    "responseType": "application/json",
    "response": {
      "alarm_id": "alm-9002455c7ee2",
      "name": "High load on the web server",
      "description": null,
      "severity": "low",
      "enabled": false,
      "rule": {
        "metric": "cpu",
        "instance_id": "25e347df-c09f-489f-a69e-e7c3cc8fae25",
        "comparison": "gt",
        "threshold": 90,
        "period_seconds": 60,
        "evaluation_periods": 1
      },
      "state": "insufficient_data",
      "reason": "Not evaluated yet",
      "last_transition_at": null,
      "evaluated_at": null,
      "created_at": "2026-03-02T10:00:01.000Z"
    }
  },
  "alarms.remove": {
    "status": 200,
    "path": {
      "alarm_id": "alm-faca484dd560"
    },
    "query": {},
    "responseType": "application/json",
    "response": {
      "alarm_id": "alm-faca484dd560",
      "name": "High load on the web server",
      "description": null,
      "severity": "low",
      "enabled": true,
      "rule": {
        "metric": "cpu",
        "instance_id": "25e347df-c09f-489f-a69e-e7c3cc8fae25",
        "comparison": "gt",
        "threshold": 90,
        "period_seconds": 60,
        "evaluation_periods": 1
      },
      "state": "insufficient_data",
      "reason": "Not evaluated yet",
      "last_transition_at": null,
      "evaluated_at": null,
      "created_at": "2026-03-02T10:00:01.000Z"
    }
  },
  "events.list": {
    "status": 200,
    "path": {},
    "query": {
      "limit": "2",
      "topic": "iam.credentials",
      "kind": "credential.created",
      "order": "asc"
    },
    "responseType": "application/json",
    "response": {
      "events": [
        {
          "id": "e01856c5-57d4-8375-ab35-2515fe4c69a7",
          "topic": "iam.credentials",
          "kind": "credential.created",
          "at": "2026-03-02T10:00:01.000Z",
          "key": "cred-e44aa5199fee",
          "project_id": "bc283cc6c10c919e4216b9d31314e276",
          "data": {
            "credential_id": "cred-e44aa5199fee",
            "credential_kind": "api-key",
            "tier": 2,
            "label": "first credential",
            "user_id": "cred-e44aa5199fee",
            "created_by": "onboarding",
            "expires_at": null,
            "held": [],
            "rotates": null,
            "rotated_to": null,
            "revokes_at": null
          }
        },
        {
          "id": "5c294813-ae57-85fc-af83-51243ea86821",
          "topic": "iam.credentials",
          "kind": "credential.created",
          "at": "2026-03-02T10:00:02.000Z",
          "key": "cred-702a0964242f",
          "project_id": "bc283cc6c10c919e4216b9d31314e276",
          "data": {
            "credential_id": "cred-702a0964242f",
            "credential_kind": "api-key",
            "tier": 0,
            "label": "monitoring",
            "user_id": "cred-702a0964242f",
            "created_by": "cred-e44aa5199fee",
            "expires_at": null,
            "held": [],
            "rotates": null,
            "rotated_to": null,
            "revokes_at": null
          }
        }
      ],
      "next_cursor": "ZXZlbnRzOjUwNzkz",
      "last_cursor": "ZXZlbnRzOjUwNzkz"
    }
  },
  "events.tail": {
    "status": 200,
    "path": {},
    "query": {
      "timeout_seconds": "0",
      "cursor": "ZXZlbnRzOjI0MTEz",
      "kind": "credential.revoked"
    },
    "responseType": "text/event-stream",
    "response": "id: ZXZlbnRzOjI5NDU2\nretry: 3000\n\nid: ZXZlbnRzOjIxMTUy\ndata: {\"id\":\"93f8496e-f5aa-85b2-a387-e7162b3b0565\",\"topic\":\"iam.credentials\",\"kind\":\"credential.revoked\",\"at\":\"2026-03-02T10:00:07.000Z\",\"key\":\"cred-ade509ff8ec0\",\"project_id\":\"9a83837d7c3bc0802869b65783ab1695\",\"data\":{\"credential_id\":\"cred-ade509ff8ec0\",\"credential_kind\":\"api-key\",\"tier\":0,\"label\":\"night shift\",\"user_id\":\"cred-ade509ff8ec0\",\"created_by\":\"cred-ea0860bdb4f0\",\"expires_at\":null,\"held\":[],\"rotates\":null,\"rotated_to\":null,\"revokes_at\":null}}\n\n"
  },
  "webhooks.list": {
    "status": 200,
    "path": {},
    "query": {},
    "responseType": "application/json",
    "response": {
      "count": 0,
      "webhooks": []
    }
  },
  "webhooks.create": {
    "status": 201,
    "path": {},
    "query": {},
    "requestType": "application/json",
    "request": {
      "url": "https://hooks.acme.example/",
      "description": "Notes every change of a credential",
      "topics": [
        "iam.credentials"
      ]
    },
    "responseType": "application/json",
    "response": {
      "webhook_id": "63613897-d3a1-4550-a2d9-166f354f84c0",
      "url": "https://hooks.acme.example/",
      "description": "Notes every change of a credential",
      "topics": [
        "iam.credentials"
      ],
      "kinds": [],
      "enabled": true,
      "disabled_reason": null,
      "failures_in_a_row": 0,
      "failing_since": null,
      "rests_until": null,
      "previous_secret_until": null,
      "created_by": "cred-223adb002f97",
      "created_at": "2026-03-02T10:00:01.000Z",
      "updated_at": "2026-03-02T10:00:01.000Z",
      "secret": "whsec_CJLzHtpt2xVGIDCxDW3IxVQGJJfOoSEHGVOXIEXAMPLE"
    }
  },
  "webhooks.show": {
    "status": 200,
    "path": {
      "webhook_id": "1feadd26-d946-4ed4-aa3a-545829697030"
    },
    "query": {},
    "responseType": "application/json",
    "response": {
      "webhook_id": "1feadd26-d946-4ed4-aa3a-545829697030",
      "url": "https://hooks.acme.example/",
      "description": null,
      "topics": [],
      "kinds": [],
      "enabled": true,
      "disabled_reason": null,
      "failures_in_a_row": 0,
      "failing_since": null,
      "rests_until": null,
      "previous_secret_until": null,
      "created_by": "cred-8137d2ccbf82",
      "created_at": "2026-03-02T10:00:01.000Z",
      "updated_at": "2026-03-02T10:00:01.000Z"
    }
  },
  "webhooks.update": {
    "status": 200,
    "path": {
      "webhook_id": "dcf560b7-4506-4e7e-afcf-171ce3f47c6e"
    },
    "query": {},
    "requestType": "application/json",
    "request": {
      "enabled": false
    },
    "responseType": "application/json",
    "response": {
      "webhook_id": "dcf560b7-4506-4e7e-afcf-171ce3f47c6e",
      "url": "https://hooks.acme.example/",
      "description": null,
      "topics": [],
      "kinds": [],
      "enabled": false,
      "disabled_reason": null,
      "failures_in_a_row": 0,
      "failing_since": null,
      "rests_until": null,
      "previous_secret_until": null,
      "created_by": "cred-8137d2ccbf82",
      "created_at": "2026-03-02T10:00:01.000Z",
      "updated_at": "2026-03-02T10:00:02.000Z"
    }
  },
  "webhooks.remove": {
    "status": 200,
    "path": {
      "webhook_id": "8280a274-56bf-4ffb-a29e-fe256c30e9a4"
    },
    "query": {},
    "responseType": "application/json",
    "response": {
      "webhook_id": "8280a274-56bf-4ffb-a29e-fe256c30e9a4",
      "url": "https://hooks.acme.example/",
      "description": null,
      "topics": [],
      "kinds": [],
      "enabled": true,
      "disabled_reason": null,
      "failures_in_a_row": 0,
      "failing_since": null,
      "rests_until": null,
      "previous_secret_until": null,
      "created_by": "cred-8137d2ccbf82",
      "created_at": "2026-03-02T10:00:01.000Z",
      "updated_at": "2026-03-02T10:00:01.000Z"
    }
  },
  "webhooks.deliveries": {
    "status": 200,
    "path": {
      "webhook_id": "41567c32-2b27-4984-a51f-69dcf0e927fd"
    },
    "query": {},
    "responseType": "application/json",
    "response": {
      "count": 1,
      "next_cursor": null,
      "deliveries": [
        {
          "delivery_id": "a7f544f9-1c8e-4951-a6ab-9d7dc88d900d",
          "event_id": "c6dbd105-a4af-4da1-a256-bbcf12359c7d",
          "topic": "alarms",
          "kind": "alarm.state_changed",
          "state": "pending",
          "redelivery": true,
          "attempts": [],
          "error": null,
          "created_at": "2026-03-02T10:00:02.000Z",
          "finished_at": null
        }
      ]
    }
  },
  "webhooks.test": {
    "status": 200,
    "path": {
      "webhook_id": "79e07144-7334-4a17-a5e3-98a72a76bad5"
    },
    "query": {},
    "responseType": "application/json",
    "response": {
      "event_id": "dc6c2615-1728-4a36-a992-84c4b8bfdc05",
      "delivered": true,
      "status": 204,
      "duration_ms": 0,
      "error": null
    }
  },
  "webhooks.rotateSecret": {
    "status": 201,
    "path": {
      "webhook_id": "1a3324bf-93cb-465a-a068-b72061ccb72e"
    },
    "query": {},
    "requestType": "application/json",
    "request": {
      "overlap_seconds": 3600
    },
    "responseType": "application/json",
    "response": {
      "webhook_id": "1a3324bf-93cb-465a-a068-b72061ccb72e",
      "url": "https://hooks.acme.example/",
      "description": null,
      "topics": [],
      "kinds": [],
      "enabled": true,
      "disabled_reason": null,
      "failures_in_a_row": 0,
      "failing_since": null,
      "rests_until": null,
      "previous_secret_until": "2026-03-02T11:00:02.000Z",
      "created_by": "cred-8137d2ccbf82",
      "created_at": "2026-03-02T10:00:01.000Z",
      "updated_at": "2026-03-02T10:00:02.000Z",
      "secret": "whsec_HE18xfoF9UXAnLx93H6gLxFa94agOI6AiIbb4EXAMPLE"
    }
  },
  "webhooks.redeliver": {
    "status": 202,
    "path": {
      "webhook_id": "0e3905d4-6216-4a06-a6b6-af4af0715606"
    },
    "query": {},
    "requestType": "application/json",
    "request": {
      "event_id": "5c34784e-4ec3-43cf-a617-fc0198d1a14f"
    },
    "responseType": "application/json",
    "response": {
      "delivery_id": "cf25f27e-9b67-4a3c-ab78-45037961d5d3",
      "event_id": "5c34784e-4ec3-43cf-a617-fc0198d1a14f",
      "topic": "alarms",
      "kind": "alarm.state_changed",
      "state": "pending",
      "redelivery": true,
      "attempts": [],
      "error": null,
      "created_at": "2026-03-02T10:00:02.000Z",
      "finished_at": null
    }
  },
  "integrations.list": {
    "status": 200,
    "path": {},
    "query": {},
    "responseType": "application/json",
    "response": {
      "count": 0,
      "integrations": []
    }
  },
  "integrations.create": {
    "status": 201,
    "path": {},
    "query": {},
    "requestType": "application/json",
    "request": {
      "kind": "slack",
      "name": "on-call channel",
      "url": "https://hooks.acme.example/"
    },
    "responseType": "application/json",
    "response": {
      "integration_id": "052a9077-1bc2-486d-ae32-02dfb4ec46cb",
      "kind": "slack",
      "name": "on-call channel",
      "recipients": null,
      "url": "https://hooks.acme.example/…",
      "headers": null,
      "topics": [],
      "kinds": [],
      "enabled": true,
      "disabled_reason": null,
      "failures_in_a_row": 0,
      "failing_since": null,
      "rests_until": null,
      "previous_secret_until": null,
      "created_by": "cred-223adb002f97",
      "created_at": "2026-03-02T10:00:01.000Z",
      "updated_at": "2026-03-02T10:00:01.000Z"
    }
  },
  "integrations.show": {
    "status": 200,
    "path": {
      "integration_id": "c4566236-22e9-4947-a5b8-babf3a6df79d"
    },
    "query": {},
    "responseType": "application/json",
    "response": {
      "integration_id": "c4566236-22e9-4947-a5b8-babf3a6df79d",
      "kind": "slack",
      "name": "on-call channel",
      "recipients": null,
      "url": "https://hooks.acme.example/…",
      "headers": null,
      "topics": [],
      "kinds": [],
      "enabled": true,
      "disabled_reason": null,
      "failures_in_a_row": 0,
      "failing_since": null,
      "rests_until": null,
      "previous_secret_until": null,
      "created_by": "cred-8137d2ccbf82",
      "created_at": "2026-03-02T10:00:01.000Z",
      "updated_at": "2026-03-02T10:00:01.000Z"
    }
  },
  "integrations.update": {
    "status": 200,
    "path": {
      "integration_id": "8add2069-a73f-47a1-a968-bd7b39008c80"
    },
    "query": {},
    "requestType": "application/json",
    "request": {
      "enabled": false
    },
    "responseType": "application/json",
    "response": {
      "integration_id": "8add2069-a73f-47a1-a968-bd7b39008c80",
      "kind": "slack",
      "name": "on-call channel",
      "recipients": null,
      "url": "https://hooks.acme.example/…",
      "headers": null,
      "topics": [],
      "kinds": [],
      "enabled": false,
      "disabled_reason": null,
      "failures_in_a_row": 0,
      "failing_since": null,
      "rests_until": null,
      "previous_secret_until": null,
      "created_by": "cred-8137d2ccbf82",
      "created_at": "2026-03-02T10:00:01.000Z",
      "updated_at": "2026-03-02T10:00:02.000Z"
    }
  },
  "integrations.remove": {
    "status": 200,
    "path": {
      "integration_id": "73370b3f-f35c-4167-a73b-533feff85c99"
    },
    "query": {},
    "responseType": "application/json",
    "response": {
      "integration_id": "73370b3f-f35c-4167-a73b-533feff85c99",
      "kind": "slack",
      "name": "on-call channel",
      "recipients": null,
      "url": "https://hooks.acme.example/…",
      "headers": null,
      "topics": [],
      "kinds": [],
      "enabled": true,
      "disabled_reason": null,
      "failures_in_a_row": 0,
      "failing_since": null,
      "rests_until": null,
      "previous_secret_until": null,
      "created_by": "cred-8137d2ccbf82",
      "created_at": "2026-03-02T10:00:01.000Z",
      "updated_at": "2026-03-02T10:00:01.000Z"
    }
  },
  "integrations.deliveries": {
    "status": 200,
    "path": {
      "integration_id": "daa16b8e-2cb2-4d4d-a192-8fe8647b64fe"
    },
    "query": {},
    "responseType": "application/json",
    "response": {
      "count": 0,
      "next_cursor": null,
      "deliveries": []
    }
  },
  "integrations.test": {
    "status": 200,
    "path": {
      "integration_id": "a8d8c16e-f8e6-4c69-a497-e29057b51619"
    },
    "query": {},
    "responseType": "application/json",
    "response": {
      "event_id": "36870b32-32d0-413e-a4ef-8fe0c665a2bc",
      "delivered": true,
      "status": 204,
      "duration_ms": 0,
      "error": null
    }
  },
  "integrations.confirm": {
    "status": 200,
    "path": {
      "integration_id": "a76622c1-ffee-4725-a35e-57ea18dffff3"
    },
    "query": {},
    "requestType": "application/json",
    "request": {
      "code": "code"
    },
    "responseType": "application/json",
    "response": {
      "integration_id": "a76622c1-ffee-4725-a35e-57ea18dffff3",
      "kind": "email",
      "name": "on-call channel",
      "recipients": [
        {
          "address": "oncall@acme.example",
          "confirmed_at": "2026-03-02T10:00:02.000Z"
        }
      ],
      "url": null,
      "headers": null,
      "topics": [],
      "kinds": [],
      "enabled": true,
      "disabled_reason": null,
      "failures_in_a_row": 0,
      "failing_since": null,
      "rests_until": null,
      "previous_secret_until": null,
      "created_by": "cred-8137d2ccbf82",
      "created_at": "2026-03-02T10:00:01.000Z",
      "updated_at": "2026-03-02T10:00:02.000Z"
    }
  },
  "integrations.rotateSecret": {
    "status": 200,
    "path": {
      "integration_id": "417a8f85-2dd0-4b53-aa1d-3c00278ab2e8"
    },
    "query": {},
    "requestType": "application/json",
    "request": {
      "url": "https://hooks.acme.example/rotated"
    },
    "responseType": "application/json",
    "response": {
      "integration_id": "417a8f85-2dd0-4b53-aa1d-3c00278ab2e8",
      "kind": "slack",
      "name": "on-call channel",
      "recipients": null,
      "url": "https://hooks.acme.example/…",
      "headers": null,
      "topics": [],
      "kinds": [],
      "enabled": true,
      "disabled_reason": null,
      "failures_in_a_row": 0,
      "failing_since": null,
      "rests_until": null,
      "previous_secret_until": "2026-03-03T10:00:02.000Z",
      "created_by": "cred-8137d2ccbf82",
      "created_at": "2026-03-02T10:00:01.000Z",
      "updated_at": "2026-03-02T10:00:02.000Z"
    }
  },
  "integrations.redeliver": {
    "status": 202,
    "path": {
      "integration_id": "07b0ef9e-5a76-480a-a465-0cdb09e28993"
    },
    "query": {},
    "requestType": "application/json",
    "request": {
      "event_id": "9d485284-7530-4a04-a617-fcd387e000d5"
    },
    "responseType": "application/json",
    "response": {
      "delivery_id": "85e58bdd-c9c8-4664-ae7f-dc7a44d65edb",
      "event_id": "9d485284-7530-4a04-a617-fcd387e000d5",
      "topic": "alarms",
      "kind": "alarm.state_changed",
      "state": "pending",
      "redelivery": true,
      "attempts": [],
      "error": null,
      "created_at": "2026-03-02T10:00:02.000Z",
      "finished_at": null
    }
  },
  "audit.list": {
    "status": 200,
    "path": {},
    "query": {
      "limit": "2",
      "method": "POST",
      "status": "2xx",
      "order": "asc"
    },
    "responseType": "application/json",
    "response": {
      "source": "ring",
      "records": [
        {
          "id": "c9ad6395-2496-47eb-aa43-76dad8408d0e",
          "at": "2026-03-02T10:00:02.000Z",
          "project_id": "74118833c09372c4c1cdbc320927869b",
          "method": "POST",
          "route": "/v1/credentials",
          "resources": [],
          "status": 201,
          "parameters": [],
          "fields": [
            "kind",
            "tier",
            "label"
          ],
          "user_id": "cred-0add5ce51479",
          "credential_id": "cred-0add5ce51479",
          "tier": 2,
          "source": "198.51.100.7",
          "request_id": "6d13f322866484faa1b12f1cc7a482ad",
          "actor": "key",
          "tool": null
        },
        {
          "id": "ad92186d-8128-4952-aeb2-9a54c18fcf63",
          "at": "2026-03-02T10:00:03.000Z",
          "project_id": "74118833c09372c4c1cdbc320927869b",
          "method": "POST",
          "route": "/v1/credentials",
          "resources": [],
          "status": 201,
          "parameters": [],
          "fields": [
            "kind",
            "tier",
            "label"
          ],
          "user_id": "cred-0add5ce51479",
          "credential_id": "cred-0add5ce51479",
          "tier": 2,
          "source": "198.51.100.7",
          "request_id": "049792b8edc00beac5cf1d3d382e4be8",
          "actor": "key",
          "tool": null
        }
      ],
      "next_cursor": "YXVkaXQ6OTAwOA",
      "last_cursor": "YXVkaXQ6OTAwOA"
    }
  },
  "audit.export": {
    "status": 200,
    "path": {},
    "query": {
      "method": "POST"
    },
    "responseType": "application/x-ndjson",
    "response": "{\"id\":\"a3758ef0-23bb-4629-a4c9-68aacc739896\",\"topic\":\"api.audit\",\"kind\":\"api.call\",\"at\":\"2026-03-02T10:00:02.000Z\",\"key\":\"cred-45585aa33623\",\"project_id\":\"099e29a72f801d0732babd3db0029367\",\"data\":{\"method\":\"POST\",\"route\":\"/v1/credentials\",\"resources\":[],\"status\":201,\"parameters\":[],\"fields\":[\"kind\",\"tier\",\"label\"],\"user_id\":\"cred-45585aa33623\",\"credential_id\":\"cred-45585aa33623\",\"tier\":2,\"source\":\"198.51.100.7\",\"request_id\":\"295fd9bd8fa671f53970b50b9e7f5021\",\"actor\":\"key\"},\"cursor\":\"YXVkaXQ6MjQw\"}\n{\"id\":\"e0ecefdb-7b3f-4180-af5a-0ba30228a373\",\"topic\":\"api.audit\",\"kind\":\"api.call\",\"at\":\"2026-03-02T10:00:03.000Z\",\"key\":\"cred-45585aa33623\",\"project_id\":\"099e29a72f801d0732babd3db0029367\",\"data\":{\"method\":\"POST\",\"route\":\"/v1/credentials\",\"resources\":[],\"status\":201,\"parameters\":[],\"fields\":[\"kind\",\"tier\",\"label\"],\"user_id\":\"cred-45585aa33623\",\"credential_id\":\"cred-45585aa33623\",\"tier\":2,\"source\":\"198.51.100.7\",\"request_id\":\"959a2fb720fdb5e4984cd9082ffbc749\",\"actor\":\"key\"},\"cursor\":\"YXVkaXQ6MjQy\"}\n{\"id\":\"bd42ae0c-4c22-45ee-a54d-41c0082f7b1e\",\"topic\":\"api.audit\",\"kind\":\"api.call\",\"at\":\"2026-03-02T10:00:04.000Z\",\"key\":\"cred-45585aa33623\",\"project_id\":\"099e29a72f801d0732babd3db0029367\",\"data\":{\"method\":\"POST\",\"route\":\"/v1/credentials\",\"resources\":[],\"status\":201,\"parameters\":[],\"fields\":[\"kind\",\"tier\",\"label\"],\"user_id\":\"cred-45585aa33623\",\"credential_id\":\"cred-45585aa33623\",\"tier\":2,\"source\":\"198.51.100.7\",\"request_id\":\"fb3c1c7e7bd3f23f0ff37f7019863ecb\",\"actor\":\"key\"},\"cursor\":\"YXVkaXQ6MjQ0\"}\n{\"end\":true,\"complete\":true,\"count\":3,\"cursor\":\"YXVkaXQ6MjQ0\"}\n"
  },
  "money.breakdown": {
    "status": 200,
    "path": {},
    "query": {
      "group_by": "line",
      "period": "2026-01"
    },
    "responseType": "application/json",
    "response": {
      "currency": "EUR",
      "group_by": "line",
      "period": {
        "start": "2026-01-01T00:00:00.000Z",
        "end": "2026-02-01T00:00:00.000Z"
      },
      "project_id": "d97b2b739f7a278e207bf834f6e0335d",
      "tenant_name": "Acme",
      "total_cents": 4147,
      "total_eur": 41.47,
      "count": 1,
      "rows": [
        {
          "service": "block-storage.ssd",
          "unit": "GiB-second",
          "quantity": "691200000",
          "amount_cents": 4147,
          "amount_eur": 41.47,
          "currency": "EUR"
        }
      ]
    }
  },
  "money.forecast": {
    "status": 200,
    "path": {},
    "query": {},
    "responseType": "application/json",
    "response": {
      "currency": "EUR",
      "period": {
        "start": "2026-03-01T00:00:00.000Z",
        "end": "2026-04-01T00:00:00.000Z"
      },
      "period_seconds": 2678400,
      "elapsed_seconds": 122401,
      "month_to_date_cents": 367,
      "month_to_date_eur": 3.67,
      "forecast_cents": 8031,
      "forecast_eur": 80.31,
      "method": "linear-run-rate",
      "method_detail": "Month-to-date spend of 3.67 EUR times 2678400 seconds in the month, divided by 122401 seconds elapsed, rounded half to even to the cent.",
      "project_id": "d97b2b739f7a278e207bf834f6e0335d",
      "tenant_name": "Acme"
    }
  },
  "money.budgets": {
    "status": 200,
    "path": {},
    "query": {
      "limit": "1"
    },
    "responseType": "application/json",
    "response": {
      "count": 1,
      "next_cursor": null,
      "budgets": [
        {
          "budget_id": "bdg-3724f90b-5342-4067-a5db-1c7cd73a7757",
          "amount_cents": 50000,
          "currency": "EUR",
          "period": "monthly",
          "project_id": "d97b2b739f7a278e207bf834f6e0335d",
          "tenant_name": "Acme",
          "created_at": "2026-03-02T10:00:01.000Z",
          "created_by": "cred-223adb002f97",
          "last_breached_period": null
        }
      ]
    }
  },
  "money.createBudget": {
    "status": 201,
    "path": {},
    "query": {},
    "requestType": "application/json",
    "request": {
      "amount_cents": 50000,
      "period": "monthly"
    },
    "responseType": "application/json",
    "response": {
      "budget_id": "bdg-34075977-9c2c-4913-aacb-b29049dbed00",
      "amount_cents": 50000,
      "currency": "EUR",
      "period": "monthly",
      "project_id": "d97b2b739f7a278e207bf834f6e0335d",
      "tenant_name": "Acme",
      "created_at": "2026-03-02T10:00:01.000Z",
      "created_by": "cred-223adb002f97",
      "last_breached_period": null
    }
  },
  "money.removeBudget": {
    "status": 200,
    "path": {
      "budget_id": "bdg-501d1877-fd42-403b-a37c-41885068f189"
    },
    "query": {},
    "responseType": "application/json",
    "response": {
      "budget_id": "bdg-501d1877-fd42-403b-a37c-41885068f189",
      "amount_cents": 100,
      "currency": "EUR",
      "period": "monthly",
      "project_id": "d97b2b739f7a278e207bf834f6e0335d",
      "tenant_name": "Acme",
      "created_at": "2026-03-02T10:00:01.000Z",
      "created_by": "cred-8137d2ccbf82",
      "last_breached_period": null
    }
  },
  "money.invoices": {
    "status": 200,
    "path": {},
    "query": {
      "limit": "1"
    },
    "responseType": "application/json",
    "response": {
      "count": 3,
      "next_cursor": "MTc2NzIyNTYwMDAwMC5pbi03ODgwYmIwNGE1MTQ4NmU3MDdhYzQxZTY",
      "invoices": [
        {
          "invoice_id": "in-7880bb04a51486e707ac41e6",
          "project_id": "d97b2b739f7a278e207bf834f6e0335d",
          "tenant_name": "Acme",
          "status": "finalized",
          "currency": "EUR",
          "total_cents": 4147,
          "period_start": "2026-01-01T00:00:00.000Z",
          "period_end": "2026-02-01T00:00:00.000Z",
          "created_at": "2026-01-01T00:00:00.000Z",
          "created_by": "billing",
          "customer_email": null,
          "history": [
            {
              "event": "created",
              "detail": "Draft of 2026-01",
              "ts": "2026-01-01T00:00:00.000Z"
            },
            {
              "event": "finalized",
              "detail": "Total of 4147 cents",
              "ts": "2026-02-01T01:00:00.000Z"
            }
          ],
          "lines": [
            {
              "key": "block-storage.ssd",
              "description": "Volumes, ssd",
              "quantity": "691200000",
              "unit": "GiB-second",
              "unit_price_eur": "0.00000006",
              "amount_cents": 4147,
              "amount_eur": 41.47
            }
          ],
          "notify_events": [
            "finalized"
          ],
          "external_customer_id": "cus_faac8b5af623d69a5391aaaa",
          "external_invoice_id": "inv_f0ac83f62f8023246baeea42"
        }
      ]
    }
  },
  "account.show": {
    "status": 200,
    "path": {},
    "query": {},
    "responseType": "application/json",
    "response": {
      "number": 1,
      "name": "Acme",
      "state": "open",
      "created_at": "2026-03-02T09:00:01.000Z",
      "window_days": 30,
      "closed_at": null,
      "closed_by": null,
      "reason": null,
      "closes_at": null,
      "destroying": false,
      "projects": [
        {
          "project_id": "d97b2b739f7a278e207bf834f6e0335d",
          "name": "Acme",
          "slug": "acme",
          "tier": "discovery"
        }
      ],
      "members": 2
    }
  },
  "account.close": {
    "status": 202,
    "path": {},
    "query": {},
    "requestType": "application/json",
    "request": {
      "confirm": "Acme"
    },
    "responseType": "application/json",
    "response": {
      "number": 1,
      "name": "Acme",
      "state": "closing",
      "created_at": "2026-03-02T09:00:01.000Z",
      "window_days": 30,
      "closed_at": "2026-03-02T10:00:02.000Z",
      "closed_by": "285997266163225828",
      "reason": null,
      "closes_at": "2026-04-01T10:00:02.000Z",
      "destroying": false,
      "projects": [
        {
          "project_id": "d97b2b739f7a278e207bf834f6e0335d",
          "name": "Acme",
          "slug": "acme",
          "tier": "discovery"
        }
      ],
      "members": 2
    }
  },
  "projects.list": {
    "status": 200,
    "path": {},
    "query": {
      "limit": "10"
    },
    "responseType": "application/json",
    "response": {
      "count": 1,
      "next_cursor": null,
      "projects": [
        {
          "project_id": "d97b2b739f7a278e207bf834f6e0335d",
          "project_name": "acme",
          "tenant_name": "Acme",
          "name": "Acme",
          "tier": "discovery",
          "suspended": false,
          "state": "live",
          "closing": [],
          "created_at": "2026-03-02T09:00:01.000Z"
        }
      ]
    }
  },
  "projects.show": {
    "status": 200,
    "path": {
      "project_id": "d97b2b739f7a278e207bf834f6e0335d"
    },
    "query": {},
    "responseType": "application/json",
    "response": {
      "project_id": "d97b2b739f7a278e207bf834f6e0335d",
      "project_name": "acme",
      "tenant_name": "Acme",
      "name": "Acme",
      "tier": "discovery",
      "suspended": false,
      "state": "live",
      "closing": [],
      "created_at": "2026-03-02T09:00:01.000Z",
      "deletion": null
    }
  },
  "projects.contents": {
    "status": 200,
    "path": {
      "project_id": "d97b2b739f7a278e207bf834f6e0335d"
    },
    "query": {},
    "responseType": "application/json",
    "response": {
      "project_id": "d97b2b739f7a278e207bf834f6e0335d",
      "surveyed_at": "2026-03-02T10:00:01.000Z",
      "contents": [
        {
          "service": "events",
          "kind": "webhooks",
          "count": 1,
          "first": [
            {
              "id": "07b0ef9e-5a76-480a-a465-0cdb09e28993",
              "name": "on-call channel"
            }
          ],
          "guarded": []
        },
        {
          "service": "monitoring",
          "kind": "alarms",
          "count": 0,
          "first": [],
          "guarded": []
        },
        {
          "service": "autoscaling",
          "kind": "groups",
          "count": 1,
          "first": [
            {
              "id": "asg-e2e530dea401",
              "name": "web"
            }
          ],
          "guarded": []
        },
        {
          "service": "edge",
          "kind": "exposures",
          "count": 1,
          "first": [
            {
              "id": "edge-857b22d69b7c",
              "name": "web"
            }
          ],
          "guarded": []
        },
        {
          "service": "kubernetes",
          "kind": "namespaces",
          "count": 1,
          "first": [
            {
              "id": "db-d97b2b739f7a278e207bf834f6e0335d",
              "name": "db-d97b2b739f7a278e207bf834f6e0335d"
            }
          ],
          "guarded": []
        },
        {
          "service": "load-balancer",
          "kind": "loadbalancers",
          "count": 0,
          "first": [],
          "guarded": []
        },
        {
          "service": "compute",
          "kind": "servers",
          "count": 1,
          "first": [
            {
              "id": "25e347df-c09f-489f-a69e-e7c3cc8fae25",
              "name": "25e347df-c09f-489f-a69e-e7c3cc8fae25"
            }
          ],
          "guarded": []
        },
        {
          "service": "compute",
          "kind": "server_groups",
          "count": 0,
          "first": [],
          "guarded": []
        },
        {
          "service": "compute",
          "kind": "keypairs",
          "count": 1,
          "first": [
            {
              "id": "laptop",
              "name": "laptop"
            }
          ],
          "guarded": []
        },
        {
          "service": "volume",
          "kind": "transfers",
          "count": 0,
          "first": [],
          "guarded": []
        },
        {
          "service": "volume",
          "kind": "backups",
          "count": 0,
          "first": [],
          "guarded": []
        },
        {
          "service": "volume",
          "kind": "snapshots",
          "count": 0,
          "first": [],
          "guarded": []
        },
        {
          "service": "volume",
          "kind": "volumes",
          "count": 0,
          "first": [],
          "guarded": []
        },
        {
          "service": "image",
          "kind": "images",
          "count": 1,
          "first": [
            {
              "id": "1ae20ef8-1072-4015-aefa-e2e149ac2e20",
              "name": "renamed"
            }
          ],
          "guarded": []
        },
        {
          "service": "dns",
          "kind": "zones",
          "count": 0,
          "first": [],
          "guarded": []
        },
        {
          "service": "dns",
          "kind": "zone_imports",
          "count": 0,
          "first": [],
          "guarded": []
        },
        {
          "service": "dns",
          "kind": "zone_exports",
          "count": 0,
          "first": [],
          "guarded": []
        },
        {
          "service": "key-manager",
          "kind": "orders",
          "count": 0,
          "first": [],
          "guarded": []
        },
        {
          "service": "key-manager",
          "kind": "containers",
          "count": 0,
          "first": [],
          "guarded": []
        },
        {
          "service": "key-manager",
          "kind": "secrets",
          "count": 0,
          "first": [],
          "guarded": []
        },
        {
          "service": "network",
          "kind": "floatingips",
          "count": 0,
          "first": [],
          "guarded": []
        },
        {
          "service": "network",
          "kind": "trunks",
          "count": 0,
          "first": [],
          "guarded": []
        },
        {
          "service": "network",
          "kind": "ports",
          "count": 0,
          "first": [],
          "guarded": []
        },
        {
          "service": "network",
          "kind": "router_interfaces",
          "count": 1,
          "first": [
            {
              "id": "c9a44b87-7f59-47b8-ac90-0e5f1d31beb1/977f620c-6ac0-4a1b-a5c5-c822267d7e8a",
              "name": "977f620c-6ac0-4a1b-a5c5-c822267d7e8a"
            }
          ],
          "guarded": []
        },
        {
          "service": "network",
          "kind": "routers",
          "count": 1,
          "first": [
            {
              "id": "c9a44b87-7f59-47b8-ac90-0e5f1d31beb1",
              "name": "acme-router"
            }
          ],
          "guarded": []
        },
        {
          "service": "network",
          "kind": "rbac_policies",
          "count": 0,
          "first": [],
          "guarded": []
        },
        {
          "service": "network",
          "kind": "subnets",
          "count": 1,
          "first": [
            {
              "id": "b58a8abb-42a0-414e-ad42-0492f04a46ed",
              "name": "acme-subnet"
            }
          ],
          "guarded": []
        },
        {
          "service": "network",
          "kind": "networks",
          "count": 1,
          "first": [
            {
              "id": "e3314441-96cd-4a44-aa72-c3a228e9adfc",
              "name": "acme-net"
            }
          ],
          "guarded": []
        },
        {
          "service": "network",
          "kind": "security_groups",
          "count": 0,
          "first": [],
          "guarded": []
        },
        {
          "service": "network",
          "kind": "address_groups",
          "count": 0,
          "first": [],
          "guarded": []
        },
        {
          "service": "network",
          "kind": "subnetpools",
          "count": 0,
          "first": [],
          "guarded": []
        },
        {
          "service": "network",
          "kind": "address_scopes",
          "count": 0,
          "first": [],
          "guarded": []
        },
        {
          "service": "object-storage",
          "kind": "buckets",
          "count": 2,
          "first": [
            {
              "id": "acme-media",
              "name": "acme-media"
            },
            {
              "id": "db-archive-d97b2b739f7a278e207bf834f6e0335d-20e9abf0",
              "name": "db-archive-d97b2b739f7a278e207bf834f6e0335d-20e9abf0"
            }
          ],
          "guarded": []
        }
      ],
      "unseen": []
    }
  },
  "projects.remove": {
    "status": 202,
    "path": {
      "project_id": "d97b2b739f7a278e207bf834f6e0335d"
    },
    "query": {
      "confirm": "acme"
    },
    "responseType": "application/json",
    "response": {
      "project_id": "d97b2b739f7a278e207bf834f6e0335d",
      "project_name": "acme",
      "tenant_name": "Acme",
      "name": "Acme",
      "tier": "discovery",
      "suspended": false,
      "state": "deleting",
      "closing": [
        "project_deletion"
      ],
      "created_at": "2026-03-02T09:00:01.000Z",
      "deletion": {
        "state": "purging",
        "steps": [],
        "done": 0,
        "left": 0,
        "refusal": null,
        "last_failure": null,
        "started_at": "2026-03-02T10:00:01.000Z"
      }
    }
  },
  "tenants.list": {
    "status": 200,
    "path": {},
    "query": {
      "limit": "2"
    },
    "responseType": "application/json",
    "response": {
      "count": 6,
      "next_cursor": "MTc3MjQ0MjAwNTAwMC41MjE0ODcwMGYxMWQ5OWQwZWE4MzRkNTNlYzJjN2Q2Yw",
      "tenants": [
        {
          "project_id": "d97b2b739f7a278e207bf834f6e0335d",
          "slug": "acme",
          "project_name": "acme",
          "tenant_name": "Acme",
          "name": "Acme",
          "tier": "discovery",
          "suspended": false,
          "pending_tier": null,
          "created_at": "2026-03-02T09:00:01.000Z"
        },
        {
          "project_id": "52148700f11d99d0ea834d53ec2c7d6c",
          "slug": "globex",
          "project_name": "globex",
          "tenant_name": "Globex",
          "name": "Globex",
          "tier": "discovery",
          "suspended": false,
          "pending_tier": null,
          "created_at": "2026-03-02T09:00:05.000Z"
        }
      ],
      "pending": []
    }
  },
  "tenants.onboard": {
    "status": 201,
    "path": {},
    "query": {},
    "requestType": "application/json",
    "request": {
      "name": "Initech GmbH",
      "tier": "standard"
    },
    "responseType": "application/json",
    "response": {
      "tenant": {
        "slug": "initech-gmbh",
        "project_id": "85aa1edfa54459305346434b57aa57a7",
        "project_name": "initech-gmbh",
        "tier": "standard",
        "quotas": {
          "nova": {
            "cores": 32,
            "ram": 65536,
            "instances": 20
          },
          "cinder": {
            "volumes": 32,
            "gigabytes": 300,
            "backups": 64,
            "backup_gigabytes": 300
          },
          "neutron": {
            "network": 12,
            "router": 4,
            "floatingip": 8
          }
        },
        "network": {
          "network_id": "b56891a1-b494-41be-ae0d-22f1fa026aa6",
          "subnet_id": "63bc67b4-c13a-4a16-a2bb-248cfa8dacb0",
          "router_id": "31586878-2640-4880-a706-4b7b34719370",
          "external_network_id": "83b2b26e-02ef-4b01-a27e-b9e4ce7a3556"
        }
      },
      "credential": {
        "id": "cred-f3a28e97c73a",
        "tier": 2,
        "client_id": "initech-gmbh-f3a28e97c73a",
        "client_secret": "YQjpmOlPMnooW5yl9HfXOMztxQA5nGrxvBvxEXAMPLE"
      },
      "admission": {
        "tier": "standard",
        "admitted": true,
        "dimensions": [
          {
            "dimension": "cores",
            "requested": 32,
            "used": 48,
            "limit": 10000,
            "remaining": 9952,
            "remaining_after": 9920
          },
          {
            "dimension": "ram_gib",
            "requested": 64,
            "used": 96,
            "limit": 20000,
            "remaining": 19904,
            "remaining_after": 19840
          },
          {
            "dimension": "block_gib",
            "requested": 300,
            "used": 480,
            "limit": 100000,
            "remaining": 99520,
            "remaining_after": 99220
          },
          {
            "dimension": "object_gib",
            "requested": 100,
            "used": 120,
            "limit": 40000,
            "remaining": 39880,
            "remaining_after": 39780
          },
          {
            "dimension": "floating_ips",
            "requested": 8,
            "used": 12,
            "limit": 4000,
            "remaining": 3988,
            "remaining_after": 3980
          }
        ]
      }
    }
  },
  "tenants.moveTier": {
    "status": 200,
    "path": {
      "project_id": "8ba4e2333a0f424e6cea23a1305d3d45"
    },
    "query": {},
    "requestType": "application/json",
    "request": {
      "tier": "standard"
    },
    "responseType": "application/json",
    "response": {
      "tenant": {
        "project_id": "8ba4e2333a0f424e6cea23a1305d3d45",
        "slug": "initech",
        "project_name": "initech",
        "tenant_name": "Initech",
        "name": "Initech",
        "tier": "standard",
        "suspended": false,
        "pending_tier": null,
        "created_at": "2026-03-02T10:00:01.000Z"
      },
      "applied": {
        "nova": {
          "cores": 32,
          "ram": 65536,
          "instances": 20
        },
        "cinder": {
          "volumes": 32,
          "gigabytes": 300,
          "backups": 64,
          "backup_gigabytes": 300
        },
        "cinder_held_at_usage": [],
        "neutron": {
          "network": 12,
          "router": 4,
          "floatingip": 8
        },
        "octavia": {
          "loadbalancer": 2
        },
        "object_storage": {
          "max_buckets": 25,
          "max_size": 107374182400,
          "max_objects": -1
        }
      },
      "admission": {
        "tier": "standard",
        "admitted": true,
        "dimensions": [
          {
            "dimension": "cores",
            "requested": 32,
            "used": 80,
            "limit": 10000,
            "remaining": 9920,
            "remaining_after": 9888
          },
          {
            "dimension": "ram_gib",
            "requested": 64,
            "used": 160,
            "limit": 20000,
            "remaining": 19840,
            "remaining_after": 19776
          },
          {
            "dimension": "block_gib",
            "requested": 300,
            "used": 780,
            "limit": 100000,
            "remaining": 99220,
            "remaining_after": 98920
          },
          {
            "dimension": "object_gib",
            "requested": 100,
            "used": 220,
            "limit": 40000,
            "remaining": 39780,
            "remaining_after": 39680
          },
          {
            "dimension": "floating_ips",
            "requested": 8,
            "used": 20,
            "limit": 4000,
            "remaining": 3980,
            "remaining_after": 3972
          }
        ]
      }
    }
  },
  "tenants.suspend": {
    "status": 200,
    "path": {
      "project_id": "157fa6dd9ade8de112acca10bd29d902"
    },
    "query": {},
    "responseType": "application/json",
    "response": {
      "tenant": {
        "project_id": "157fa6dd9ade8de112acca10bd29d902",
        "slug": "initech",
        "project_name": "initech",
        "tenant_name": "Initech",
        "name": "Initech",
        "tier": "discovery",
        "suspended": true,
        "pending_tier": null,
        "created_at": "2026-03-02T10:00:01.000Z"
      },
      "applied": {
        "nova": {
          "cores": 0,
          "ram": 0,
          "instances": 0
        },
        "cinder": {
          "volumes": 0,
          "gigabytes": 0,
          "backups": 0,
          "backup_gigabytes": 0
        },
        "cinder_held_at_usage": [],
        "neutron": {
          "network": 0,
          "router": 0,
          "floatingip": 0
        },
        "octavia": {
          "loadbalancer": 0
        },
        "object_storage": {
          "max_buckets": -1,
          "max_size": 0,
          "max_objects": 0
        }
      }
    }
  },
  "signups.list": {
    "status": 200,
    "path": {},
    "query": {
      "state": "pending",
      "limit": "1"
    },
    "responseType": "application/json",
    "response": {
      "count": 2,
      "next_cursor": "MTc3MjQ0NTYwMTAwMC5zaWdudXAtODJkMmNkYTAtNTIxZS00MzcyLWE4OGMtNzdmOGI3NjlhOWQ5",
      "signups": [
        {
          "signup_id": "signup-82d2cda0-521e-4372-a88c-77f8b769a9d9",
          "email": "ann@initech.example",
          "org_name": "Initech",
          "state": "pending",
          "attempt_id": null,
          "project_id": null,
          "decided_by": null,
          "decided_at": null,
          "created_at": "2026-03-02T10:00:01.000Z"
        }
      ]
    }
  },
  "signups.capacity": {
    "status": 200,
    "path": {},
    "query": {},
    "responseType": "application/json",
    "response": {
      "tenants": {
        "discovery": 7,
        "standard": 2,
        "extension": 0
      },
      "tiers": [
        {
          "tier": "discovery",
          "admitted": true,
          "dimensions": [
            {
              "dimension": "cores",
              "requested": 8,
              "used": 120,
              "limit": 10000,
              "remaining": 9880,
              "remaining_after": 9872
            },
            {
              "dimension": "ram_gib",
              "requested": 16,
              "used": 240,
              "limit": 20000,
              "remaining": 19760,
              "remaining_after": 19744
            },
            {
              "dimension": "block_gib",
              "requested": 80,
              "used": 1160,
              "limit": 100000,
              "remaining": 98840,
              "remaining_after": 98760
            },
            {
              "dimension": "object_gib",
              "requested": 20,
              "used": 340,
              "limit": 40000,
              "remaining": 39660,
              "remaining_after": 39640
            },
            {
              "dimension": "floating_ips",
              "requested": 2,
              "used": 30,
              "limit": 4000,
              "remaining": 3970,
              "remaining_after": 3968
            }
          ]
        },
        {
          "tier": "standard",
          "admitted": true,
          "dimensions": [
            {
              "dimension": "cores",
              "requested": 32,
              "used": 120,
              "limit": 10000,
              "remaining": 9880,
              "remaining_after": 9848
            },
            {
              "dimension": "ram_gib",
              "requested": 64,
              "used": 240,
              "limit": 20000,
              "remaining": 19760,
              "remaining_after": 19696
            },
            {
              "dimension": "block_gib",
              "requested": 300,
              "used": 1160,
              "limit": 100000,
              "remaining": 98840,
              "remaining_after": 98540
            },
            {
              "dimension": "object_gib",
              "requested": 100,
              "used": 340,
              "limit": 40000,
              "remaining": 39660,
              "remaining_after": 39560
            },
            {
              "dimension": "floating_ips",
              "requested": 8,
              "used": 30,
              "limit": 4000,
              "remaining": 3970,
              "remaining_after": 3962
            }
          ]
        },
        {
          "tier": "extension",
          "admitted": true,
          "dimensions": [
            {
              "dimension": "cores",
              "requested": 128,
              "used": 120,
              "limit": 10000,
              "remaining": 9880,
              "remaining_after": 9752
            },
            {
              "dimension": "ram_gib",
              "requested": 256,
              "used": 240,
              "limit": 20000,
              "remaining": 19760,
              "remaining_after": 19504
            },
            {
              "dimension": "block_gib",
              "requested": 1200,
              "used": 1160,
              "limit": 100000,
              "remaining": 98840,
              "remaining_after": 97640
            },
            {
              "dimension": "object_gib",
              "requested": 300,
              "used": 340,
              "limit": 40000,
              "remaining": 39660,
              "remaining_after": 39360
            },
            {
              "dimension": "floating_ips",
              "requested": 16,
              "used": 30,
              "limit": 4000,
              "remaining": 3970,
              "remaining_after": 3954
            }
          ]
        }
      ],
      "pace": {
        "days": 1,
        "dimensions": [
          {
            "dimension": "cores",
            "allocated": 120,
            "limit": 10000,
            "per_day": 120,
            "exhausted_at": "2026-05-23T18:00:01.000Z"
          },
          {
            "dimension": "ram_gib",
            "allocated": 240,
            "limit": 20000,
            "per_day": 240,
            "exhausted_at": "2026-05-23T18:00:01.000Z"
          },
          {
            "dimension": "block_gib",
            "allocated": 1160,
            "limit": 100000,
            "per_day": 1160,
            "exhausted_at": "2026-05-26T14:57:56.862Z"
          },
          {
            "dimension": "object_gib",
            "allocated": 340,
            "limit": 40000,
            "per_day": 340,
            "exhausted_at": "2026-06-27T01:31:46.882Z"
          },
          {
            "dimension": "floating_ips",
            "allocated": 30,
            "limit": 4000,
            "per_day": 30,
            "exhausted_at": "2026-07-12T18:00:01.000Z"
          }
        ]
      }
    }
  },
  "signups.approve": {
    "status": 200,
    "path": {
      "signup_id": "signup-1b69cb79-5d83-47da-a859-146f4f41a5ef"
    },
    "query": {},
    "requestType": "application/json",
    "request": {
      "tier": "discovery"
    },
    "responseType": "application/json",
    "response": {
      "tenant": {
        "slug": "signup-3",
        "project_id": "2fe83a6d46f4e657c4b701b56489c243",
        "project_name": "signup-3",
        "tier": "discovery",
        "quotas": {
          "nova": {
            "cores": 8,
            "ram": 16384,
            "instances": 5
          },
          "cinder": {
            "volumes": 8,
            "gigabytes": 80,
            "backups": 16,
            "backup_gigabytes": 80
          },
          "neutron": {
            "network": 3,
            "router": 2,
            "floatingip": 2
          }
        },
        "network": {
          "network_id": "73ce4124-c633-4317-a89c-1c653c696f3f",
          "subnet_id": "530e8a10-016f-41b8-adfd-f7725a23fc50",
          "router_id": "70778a13-2ea9-4822-ad63-1bdf320cee31",
          "external_network_id": "83b2b26e-02ef-4b01-a27e-b9e4ce7a3556"
        }
      },
      "credential": {
        "id": "cred-42574d42898a",
        "tier": 2,
        "client_id": "signup-3-42574d42898a",
        "client_secret": "oXIjPRPy2jiwvha7xXpvco2NigvWCAtlDPRtEXAMPLE"
      },
      "admission": {
        "tier": "discovery",
        "admitted": true,
        "dimensions": [
          {
            "dimension": "cores",
            "requested": 8,
            "used": 120,
            "limit": 10000,
            "remaining": 9880,
            "remaining_after": 9872
          },
          {
            "dimension": "ram_gib",
            "requested": 16,
            "used": 240,
            "limit": 20000,
            "remaining": 19760,
            "remaining_after": 19744
          },
          {
            "dimension": "block_gib",
            "requested": 80,
            "used": 1160,
            "limit": 100000,
            "remaining": 98840,
            "remaining_after": 98760
          },
          {
            "dimension": "object_gib",
            "requested": 20,
            "used": 340,
            "limit": 40000,
            "remaining": 39660,
            "remaining_after": 39640
          },
          {
            "dimension": "floating_ips",
            "requested": 2,
            "used": 30,
            "limit": 4000,
            "remaining": 3970,
            "remaining_after": 3968
          }
        ]
      },
      "signup": {
        "signup_id": "signup-1b69cb79-5d83-47da-a859-146f4f41a5ef",
        "email": "ann@initech.example",
        "org_name": "Initech",
        "state": "onboarded",
        "attempt_id": "df539ae1-8c11-4479-a6f4-f6d020e142e6",
        "project_id": "2fe83a6d46f4e657c4b701b56489c243",
        "decided_by": "100000000000000005",
        "decided_at": "2026-03-02T10:00:03.000Z",
        "created_at": "2026-03-02T10:00:01.000Z"
      },
      "owner": {
        "user_id": "211072533231562506",
        "email": "ann@initech.example"
      }
    }
  },
  "signups.reject": {
    "status": 200,
    "path": {
      "signup_id": "signup-5513884c-3093-4514-a600-462786672512"
    },
    "query": {},
    "responseType": "application/json",
    "response": {
      "signup_id": "signup-5513884c-3093-4514-a600-462786672512",
      "email": "ann@initech.example",
      "org_name": "Initech",
      "state": "rejected",
      "attempt_id": null,
      "project_id": null,
      "decided_by": "100000000000000005",
      "decided_at": "2026-03-02T10:00:03.000Z",
      "created_at": "2026-03-02T10:00:01.000Z"
    }
  },
  "accounts.list": {
    "status": 200,
    "path": {},
    "query": {
      "limit": "2"
    },
    "responseType": "application/json",
    "response": {
      "count": 10,
      "next_cursor": "MTc3MjQ0MjAwNTAwMC4y",
      "accounts": [
        {
          "number": 1,
          "name": "Acme",
          "state": "open",
          "created_at": "2026-03-02T09:00:01.000Z",
          "window_days": 30,
          "closed_at": null,
          "closed_by": null,
          "reason": null,
          "closes_at": null,
          "destroying": false,
          "projects": [
            "d97b2b739f7a278e207bf834f6e0335d"
          ],
          "destroyed_at": null,
          "finalized_by": null,
          "finalize_reason": null,
          "attempts": 0,
          "refusal": null
        },
        {
          "number": 2,
          "name": "Globex",
          "state": "open",
          "created_at": "2026-03-02T09:00:05.000Z",
          "window_days": 30,
          "closed_at": null,
          "closed_by": null,
          "reason": null,
          "closes_at": null,
          "destroying": false,
          "projects": [
            "52148700f11d99d0ea834d53ec2c7d6c"
          ],
          "destroyed_at": null,
          "finalized_by": null,
          "finalize_reason": null,
          "attempts": 0,
          "refusal": null
        }
      ]
    }
  },
  "accounts.reopen": {
    "status": 200,
    "path": {
      "number": "11"
    },
    "query": {},
    "responseType": "application/json",
    "response": {
      "account": {
        "number": 11,
        "name": "Initech",
        "state": "open",
        "created_at": "2026-03-02T10:00:01.000Z",
        "window_days": 30,
        "closed_at": null,
        "closed_by": null,
        "reason": null,
        "closes_at": null,
        "destroying": false,
        "projects": [
          "2be8992cf005f7fd443461fa5f6986c9"
        ],
        "destroyed_at": null,
        "finalized_by": null,
        "finalize_reason": null,
        "attempts": 0,
        "refusal": null
      },
      "projects": [
        {
          "project_id": "2be8992cf005f7fd443461fa5f6986c9",
          "restored_credentials": [
            "cred-7725431194f1"
          ]
        }
      ]
    }
  },
  "accounts.finalize": {
    "status": 202,
    "path": {
      "number": "12"
    },
    "query": {},
    "requestType": "application/json",
    "request": {
      "reason": "The owner asked for it in writing"
    },
    "responseType": "application/json",
    "response": {
      "number": 12,
      "name": "Initech",
      "state": "closing",
      "created_at": "2026-03-02T10:00:01.000Z",
      "window_days": 30,
      "closed_at": "2026-03-02T10:00:02.000Z",
      "closed_by": "100000000000000005",
      "reason": null,
      "closes_at": "2026-04-01T10:00:02.000Z",
      "destroying": true,
      "projects": [
        "7684e86d43155220dd02533ec1291788"
      ],
      "destroyed_at": null,
      "finalized_by": "100000000000000005",
      "finalize_reason": "The owner asked for it in writing",
      "attempts": 0,
      "refusal": null
    }
  },
  "deletions.cancel": {
    "status": 200,
    "path": {
      "project_id": "0b5d5a49fe63a870a6094f6ad3b2d5f1"
    },
    "query": {},
    "responseType": "application/json",
    "response": {
      "project": {
        "project_id": "0b5d5a49fe63a870a6094f6ad3b2d5f1",
        "project_name": "Initech",
        "tenant_name": "Initech",
        "name": "Initech",
        "tier": "discovery",
        "suspended": false,
        "state": "live",
        "closing": [],
        "created_at": "2026-03-02T10:00:01.000Z"
      },
      "restored_credentials": [
        "cred-cf19e9c71382"
      ]
    }
  },
  "journal.list": {
    "status": 200,
    "path": {},
    "query": {},
    "responseType": "application/json",
    "response": {
      "count": 1,
      "next_cursor": null,
      "onboardings": [
        {
          "attempt_id": "5f505b63-a9c7-4cbc-aabc-fff10c447b9c",
          "name": "Initech",
          "slug": "initech",
          "tier": "discovery",
          "state": "stuck",
          "steps": [
            {
              "step": "project",
              "done": true
            },
            {
              "step": "uplink",
              "done": true
            },
            {
              "step": "compute quotas",
              "done": true
            },
            {
              "step": "block storage quotas",
              "done": true
            },
            {
              "step": "network quotas",
              "done": true
            },
            {
              "step": "load balancer quotas",
              "done": true
            },
            {
              "step": "object storage",
              "done": true
            },
            {
              "step": "tenant user",
              "done": true
            },
            {
              "step": "network",
              "done": true
            },
            {
              "step": "subnet",
              "done": true
            },
            {
              "step": "router",
              "done": false
            },
            {
              "step": "router interface",
              "done": false
            },
            {
              "step": "machine user",
              "done": true
            },
            {
              "step": "machine role",
              "done": true
            },
            {
              "step": "first credential",
              "done": true
            },
            {
              "step": "tier tag",
              "done": false
            }
          ],
          "step": null,
          "failure": "router: neutron create router: Internal Server Error",
          "left": [
            {
              "step": "project",
              "words": "keystone remove project: Internal Server Error"
            }
          ],
          "withdrawals": 1,
          "started_at": "2026-03-02T10:00:01.000Z",
          "lease_ends": "2026-03-02T10:04:01.000Z"
        }
      ]
    }
  },
  "journal.retry": {
    "status": 200,
    "path": {
      "attempt_id": "21ae57f3-2aec-48a1-ae26-186bbc0094ae"
    },
    "query": {},
    "responseType": "application/json",
    "response": {
      "attempt_id": "21ae57f3-2aec-48a1-ae26-186bbc0094ae",
      "removed": true,
      "left": []
    }
  },
  "drift.show": {
    "status": 200,
    "path": {},
    "query": {
      "limit": "2"
    },
    "responseType": "application/json",
    "response": {
      "count": 13,
      "next_cursor": "MTc3MjQ0MjAwNTAwMC41MjE0ODcwMGYxMWQ5OWQwZWE4MzRkNTNlYzJjN2Q2Yw",
      "tenants": [
        {
          "tenant": {
            "project_id": "d97b2b739f7a278e207bf834f6e0335d",
            "slug": "acme",
            "project_name": "acme",
            "tenant_name": "Acme",
            "name": "Acme",
            "tier": "discovery",
            "suspended": false,
            "pending_tier": null,
            "created_at": "2026-03-02T09:00:01.000Z"
          },
          "drifted": false,
          "complete": true,
          "tag": {
            "tiers": [
              "discovery"
            ],
            "suspended": false,
            "state": "equal",
            "words": null
          },
          "dimensions": [
            {
              "service": "nova",
              "dimension": "cores",
              "wanted": 8,
              "actual": 8,
              "state": "equal",
              "words": null
            },
            {
              "service": "nova",
              "dimension": "ram",
              "wanted": 16384,
              "actual": 16384,
              "state": "equal",
              "words": null
            },
            {
              "service": "nova",
              "dimension": "instances",
              "wanted": 5,
              "actual": 5,
              "state": "equal",
              "words": null
            },
            {
              "service": "cinder",
              "dimension": "volumes",
              "wanted": 8,
              "actual": 8,
              "state": "equal",
              "words": null
            },
            {
              "service": "cinder",
              "dimension": "gigabytes",
              "wanted": 80,
              "actual": 80,
              "state": "equal",
              "words": null
            },
            {
              "service": "cinder",
              "dimension": "backups",
              "wanted": 16,
              "actual": 16,
              "state": "equal",
              "words": null
            },
            {
              "service": "cinder",
              "dimension": "backup_gigabytes",
              "wanted": 80,
              "actual": 80,
              "state": "equal",
              "words": null
            },
            {
              "service": "neutron",
              "dimension": "network",
              "wanted": 3,
              "actual": 3,
              "state": "equal",
              "words": null
            },
            {
              "service": "neutron",
              "dimension": "router",
              "wanted": 2,
              "actual": 2,
              "state": "equal",
              "words": null
            },
            {
              "service": "neutron",
              "dimension": "floatingip",
              "wanted": 2,
              "actual": 2,
              "state": "equal",
              "words": null
            },
            {
              "service": "octavia",
              "dimension": "loadbalancer",
              "wanted": 0,
              "actual": 0,
              "state": "equal",
              "words": null
            },
            {
              "service": "rgw",
              "dimension": "max_buckets",
              "wanted": 5,
              "actual": 5,
              "state": "equal",
              "words": null
            },
            {
              "service": "rgw",
              "dimension": "max_size",
              "wanted": 21474836480,
              "actual": 21474836480,
              "state": "equal",
              "words": null
            },
            {
              "service": "rgw",
              "dimension": "max_objects",
              "wanted": -1,
              "actual": -1,
              "state": "equal",
              "words": null
            }
          ]
        },
        {
          "tenant": {
            "project_id": "52148700f11d99d0ea834d53ec2c7d6c",
            "slug": "globex",
            "project_name": "globex",
            "tenant_name": "Globex",
            "name": "Globex",
            "tier": "discovery",
            "suspended": false,
            "pending_tier": null,
            "created_at": "2026-03-02T09:00:05.000Z"
          },
          "drifted": false,
          "complete": true,
          "tag": {
            "tiers": [
              "discovery"
            ],
            "suspended": false,
            "state": "equal",
            "words": null
          },
          "dimensions": [
            {
              "service": "nova",
              "dimension": "cores",
              "wanted": 8,
              "actual": 8,
              "state": "equal",
              "words": null
            },
            {
              "service": "nova",
              "dimension": "ram",
              "wanted": 16384,
              "actual": 16384,
              "state": "equal",
              "words": null
            },
            {
              "service": "nova",
              "dimension": "instances",
              "wanted": 5,
              "actual": 5,
              "state": "equal",
              "words": null
            },
            {
              "service": "cinder",
              "dimension": "volumes",
              "wanted": 8,
              "actual": 8,
              "state": "equal",
              "words": null
            },
            {
              "service": "cinder",
              "dimension": "gigabytes",
              "wanted": 80,
              "actual": 80,
              "state": "equal",
              "words": null
            },
            {
              "service": "cinder",
              "dimension": "backups",
              "wanted": 16,
              "actual": 16,
              "state": "equal",
              "words": null
            },
            {
              "service": "cinder",
              "dimension": "backup_gigabytes",
              "wanted": 80,
              "actual": 80,
              "state": "equal",
              "words": null
            },
            {
              "service": "neutron",
              "dimension": "network",
              "wanted": 3,
              "actual": 3,
              "state": "equal",
              "words": null
            },
            {
              "service": "neutron",
              "dimension": "router",
              "wanted": 2,
              "actual": 2,
              "state": "equal",
              "words": null
            },
            {
              "service": "neutron",
              "dimension": "floatingip",
              "wanted": 2,
              "actual": 2,
              "state": "equal",
              "words": null
            },
            {
              "service": "octavia",
              "dimension": "loadbalancer",
              "wanted": 0,
              "actual": 0,
              "state": "equal",
              "words": null
            },
            {
              "service": "rgw",
              "dimension": "max_buckets",
              "wanted": 5,
              "actual": 5,
              "state": "equal",
              "words": null
            },
            {
              "service": "rgw",
              "dimension": "max_size",
              "wanted": 21474836480,
              "actual": 21474836480,
              "state": "equal",
              "words": null
            },
            {
              "service": "rgw",
              "dimension": "max_objects",
              "wanted": -1,
              "actual": -1,
              "state": "equal",
              "words": null
            }
          ]
        }
      ]
    }
  },
  "drift.repair": {
    "status": 200,
    "path": {
      "project_id": "b41497ebfe3fbbca25e8f88e7ec1ab49"
    },
    "query": {},
    "responseType": "application/json",
    "response": {
      "tenant": {
        "project_id": "b41497ebfe3fbbca25e8f88e7ec1ab49",
        "slug": "initech",
        "project_name": "initech",
        "tenant_name": "Initech",
        "name": "Initech",
        "tier": "discovery",
        "suspended": false,
        "pending_tier": null,
        "created_at": "2026-03-02T10:00:01.000Z"
      },
      "applied": {
        "nova": {
          "cores": 8,
          "ram": 16384,
          "instances": 5
        },
        "cinder": {
          "volumes": 8,
          "gigabytes": 80,
          "backups": 16,
          "backup_gigabytes": 80
        },
        "cinder_held_at_usage": [],
        "neutron": {
          "network": 3,
          "router": 2,
          "floatingip": 2
        },
        "octavia": {
          "loadbalancer": 0
        },
        "object_storage": {
          "max_buckets": 5,
          "max_size": 21474836480,
          "max_objects": -1
        }
      }
    }
  },
  "workload-issuers.list": {
    "status": 200,
    "path": {},
    "query": {},
    "responseType": "application/json",
    "response": {
      "count": 1,
      "next_cursor": null,
      "issuers": [
        {
          "issuer_id": "wi-55b5e53047fb",
          "issuer": "https://cluster.acme.example",
          "project_id": "d97b2b739f7a278e207bf834f6e0335d",
          "tier": 1,
          "audience": "https://api.portico.example",
          "discovery_url": "https://cluster.acme.example/.well-known/openid-configuration",
          "jwks_uri": "https://cluster.acme.example/openid/v1/jwks",
          "ca": null,
          "subjects": [
            "system:serviceaccount:default:*"
          ],
          "max_lifetime_seconds": 86400,
          "enabled": true,
          "created_by": "100000000000000005",
          "created_at": "2026-03-02T10:00:01.000Z",
          "changed_at": "2026-03-02T10:00:01.000Z"
        }
      ]
    }
  },
  "workload-issuers.register": {
    "status": 201,
    "path": {},
    "query": {},
    "requestType": "application/json",
    "request": {
      "issuer": "https://cluster.acme.example",
      "project_id": "d97b2b739f7a278e207bf834f6e0335d",
      "tier": 1,
      "audience": "https://api.portico.example",
      "jwks_uri": "https://cluster.acme.example/openid/v1/jwks",
      "subjects": [
        "system:serviceaccount:default:*"
      ]
    },
    "responseType": "application/json",
    "response": {
      "issuer_id": "wi-b618105d6436",
      "issuer": "https://cluster.acme.example",
      "project_id": "d97b2b739f7a278e207bf834f6e0335d",
      "tier": 1,
      "audience": "https://api.portico.example",
      "discovery_url": "https://cluster.acme.example/.well-known/openid-configuration",
      "jwks_uri": "https://cluster.acme.example/openid/v1/jwks",
      "ca": null,
      "subjects": [
        "system:serviceaccount:default:*"
      ],
      "max_lifetime_seconds": 86400,
      "enabled": true,
      "created_by": "100000000000000005",
      "created_at": "2026-03-02T10:00:01.000Z",
      "changed_at": "2026-03-02T10:00:01.000Z"
    }
  },
  "workload-issuers.change": {
    "status": 200,
    "path": {
      "issuer_id": "wi-22b84f8a1699"
    },
    "query": {},
    "requestType": "application/json",
    "request": {
      "tier": 0
    },
    "responseType": "application/json",
    "response": {
      "issuer_id": "wi-22b84f8a1699",
      "issuer": "https://cluster.acme.example",
      "project_id": "d97b2b739f7a278e207bf834f6e0335d",
      "tier": 0,
      "audience": "https://api.portico.example",
      "discovery_url": "https://cluster.acme.example/.well-known/openid-configuration",
      "jwks_uri": "https://cluster.acme.example/openid/v1/jwks",
      "ca": null,
      "subjects": [
        "system:serviceaccount:default:*"
      ],
      "max_lifetime_seconds": 86400,
      "enabled": true,
      "created_by": "100000000000000005",
      "created_at": "2026-03-02T10:00:01.000Z",
      "changed_at": "2026-03-02T10:00:02.000Z"
    }
  },
  "workload-issuers.remove": {
    "status": 200,
    "path": {
      "issuer_id": "wi-7b4910c0fd3a"
    },
    "query": {},
    "responseType": "application/json",
    "response": {
      "issuer_id": "wi-7b4910c0fd3a",
      "issuer": "https://cluster.acme.example",
      "project_id": "d97b2b739f7a278e207bf834f6e0335d",
      "tier": 1,
      "audience": "https://api.portico.example",
      "discovery_url": "https://cluster.acme.example/.well-known/openid-configuration",
      "jwks_uri": "https://cluster.acme.example/openid/v1/jwks",
      "ca": null,
      "subjects": [
        "system:serviceaccount:default:*"
      ],
      "max_lifetime_seconds": 86400,
      "enabled": true,
      "created_by": "100000000000000005",
      "created_at": "2026-03-02T10:00:01.000Z",
      "changed_at": "2026-03-02T10:00:01.000Z"
    }
  },
  "incidents.create": {
    "status": 201,
    "path": {},
    "query": {},
    "requestType": "application/json",
    "request": {
      "kind": "incident",
      "title": "Slow disks",
      "services": [
        "storage"
      ],
      "severity": "minor",
      "message": "Volumes answer more slowly than usual. The cause is known and is being removed."
    },
    "responseType": "application/json",
    "response": {
      "incident_id": "inc-1f6e83ef6e96",
      "kind": "incident",
      "title": "Slow disks",
      "services": [
        "storage"
      ],
      "severity": "minor",
      "starts_at": "2026-03-02T10:00:01.000Z",
      "ends_at": null,
      "message": "Volumes answer more slowly than usual. The cause is known and is being removed.",
      "created_at": "2026-03-02T10:00:01.000Z",
      "created_by": "100000000000000005"
    }
  },
  "incidents.remove": {
    "status": 200,
    "path": {
      "incident_id": "inc-19e2f8a5af4a"
    },
    "query": {},
    "responseType": "application/json",
    "response": {
      "incident_id": "inc-19e2f8a5af4a",
      "kind": "incident",
      "title": "Slow disks",
      "services": [],
      "severity": "minor",
      "starts_at": "2026-03-02T10:00:01.000Z",
      "ends_at": null,
      "message": "",
      "created_at": "2026-03-02T10:00:01.000Z",
      "created_by": "100000000000000005"
    }
  },
  "monitoring.overview": {
    "status": 200,
    "path": {},
    "query": {},
    "responseType": "application/json",
    "response": {
      "generated_at": "2026-03-02T10:00:01.000Z",
      "overall": "ok",
      "services": [
        {
          "service": "compute",
          "status": "ok",
          "detail": "Operating normally.",
          "probe": "compute ok, 100 percent of it works"
        },
        {
          "service": "storage",
          "status": "ok",
          "detail": "Operating normally.",
          "probe": "volume ok, image ok, 100 percent of it works"
        },
        {
          "service": "network",
          "status": "ok",
          "detail": "Operating normally.",
          "probe": "network ok, load-balancer ok, 100 percent of it works"
        },
        {
          "service": "portal",
          "status": "ok",
          "detail": "Operating normally.",
          "probe": "identity-provider ok"
        },
        {
          "service": "api",
          "status": "ok",
          "detail": "Operating normally.",
          "probe": "identity ok"
        },
        {
          "service": "billing",
          "status": "ok",
          "detail": "Operating normally.",
          "probe": "billing ok"
        },
        {
          "service": "events",
          "status": "ok",
          "detail": "Operating normally.",
          "probe": "the database answers"
        },
        {
          "service": "object-storage",
          "status": "ok",
          "detail": "Operating normally.",
          "probe": "object-storage ok, 100 percent of it works"
        },
        {
          "service": "databases",
          "status": "ok",
          "detail": "Operating normally.",
          "probe": "kubernetes ok, 100 percent of it works"
        }
      ],
      "incidents": 0,
      "nodes": {
        "total": 3,
        "up": 3,
        "cpu_percent": 21.4,
        "memory_percent": 45.6
      },
      "instances": {
        "measured": 1,
        "cpu_percent": 27.9,
        "memory_percent": 27
      },
      "tenants": {
        "total": 14,
        "suspended": 1
      },
      "alarms": {
        "ok": 0,
        "alarm": 0,
        "insufficient_data": 0
      }
    }
  },
  "monitoring.fleet": {
    "status": 200,
    "path": {},
    "query": {},
    "responseType": "application/json",
    "response": {
      "generated_at": "2026-03-02T10:00:01.000Z",
      "services": [
        {
          "service": "compute",
          "status": "ok",
          "detail": "Operating normally.",
          "probe": "compute ok, 100 percent of it works"
        },
        {
          "service": "storage",
          "status": "ok",
          "detail": "Operating normally.",
          "probe": "volume ok, image ok, 100 percent of it works"
        },
        {
          "service": "network",
          "status": "ok",
          "detail": "Operating normally.",
          "probe": "network ok, load-balancer ok, 100 percent of it works"
        },
        {
          "service": "portal",
          "status": "ok",
          "detail": "Operating normally.",
          "probe": "identity-provider ok"
        },
        {
          "service": "api",
          "status": "ok",
          "detail": "Operating normally.",
          "probe": "identity ok"
        },
        {
          "service": "billing",
          "status": "ok",
          "detail": "Operating normally.",
          "probe": "billing ok"
        },
        {
          "service": "events",
          "status": "ok",
          "detail": "Operating normally.",
          "probe": "the database answers"
        },
        {
          "service": "object-storage",
          "status": "ok",
          "detail": "Operating normally.",
          "probe": "object-storage ok, 100 percent of it works"
        },
        {
          "service": "databases",
          "status": "ok",
          "detail": "Operating normally.",
          "probe": "kubernetes ok, 100 percent of it works"
        }
      ],
      "nodes": [
        {
          "node": "compute-1",
          "up": true,
          "cpu_percent": 19.5,
          "memory_percent": 31.2
        },
        {
          "node": "compute-2",
          "up": true,
          "cpu_percent": 28.3,
          "memory_percent": 44.5
        },
        {
          "node": "compute-3",
          "up": true,
          "cpu_percent": 16.3,
          "memory_percent": 61
        }
      ],
      "tenants": [
        {
          "project_id": "d97b2b739f7a278e207bf834f6e0335d",
          "name": "Acme",
          "tier": "discovery",
          "suspended": false,
          "instances": 1,
          "cpu_percent": 27.9,
          "memory_percent": 27,
          "alarms": {
            "ok": 0,
            "alarm": 0,
            "insufficient_data": 0
          }
        },
        {
          "project_id": "52148700f11d99d0ea834d53ec2c7d6c",
          "name": "Globex",
          "tier": "discovery",
          "suspended": false,
          "instances": 0,
          "cpu_percent": null,
          "memory_percent": null,
          "alarms": {
            "ok": 0,
            "alarm": 0,
            "insufficient_data": 0
          }
        },
        {
          "project_id": "bc283cc6c10c919e4216b9d31314e276",
          "name": "Initech",
          "tier": "discovery",
          "suspended": false,
          "instances": 0,
          "cpu_percent": null,
          "memory_percent": null,
          "alarms": {
            "ok": 0,
            "alarm": 0,
            "insufficient_data": 0
          }
        },
        {
          "project_id": "9a83837d7c3bc0802869b65783ab1695",
          "name": "Initech",
          "tier": "discovery",
          "suspended": false,
          "instances": 0,
          "cpu_percent": null,
          "memory_percent": null,
          "alarms": {
            "ok": 0,
            "alarm": 0,
            "insufficient_data": 0
          }
        },
        {
          "project_id": "74118833c09372c4c1cdbc320927869b",
          "name": "Initech",
          "tier": "discovery",
          "suspended": false,
          "instances": 0,
          "cpu_percent": null,
          "memory_percent": null,
          "alarms": {
            "ok": 0,
            "alarm": 0,
            "insufficient_data": 0
          }
        },
        {
          "project_id": "099e29a72f801d0732babd3db0029367",
          "name": "Initech",
          "tier": "discovery",
          "suspended": false,
          "instances": 0,
          "cpu_percent": null,
          "memory_percent": null,
          "alarms": {
            "ok": 0,
            "alarm": 0,
            "insufficient_data": 0
          }
        },
        {
          "project_id": "85aa1edfa54459305346434b57aa57a7",
          "name": "Initech GmbH",
          "tier": "standard",
          "suspended": false,
          "instances": 0,
          "cpu_percent": null,
          "memory_percent": null,
          "alarms": {
            "ok": 0,
            "alarm": 0,
            "insufficient_data": 0
          }
        },
        {
          "project_id": "8ba4e2333a0f424e6cea23a1305d3d45",
          "name": "Initech",
          "tier": "standard",
          "suspended": false,
          "instances": 0,
          "cpu_percent": null,
          "memory_percent": null,
          "alarms": {
            "ok": 0,
            "alarm": 0,
            "insufficient_data": 0
          }
        },
        {
          "project_id": "157fa6dd9ade8de112acca10bd29d902",
          "name": "Initech",
          "tier": "discovery",
          "suspended": true,
          "instances": 0,
          "cpu_percent": null,
          "memory_percent": null,
          "alarms": {
            "ok": 0,
            "alarm": 0,
            "insufficient_data": 0
          }
        },
        {
          "project_id": "2fe83a6d46f4e657c4b701b56489c243",
          "name": "Initech",
          "tier": "discovery",
          "suspended": false,
          "instances": 0,
          "cpu_percent": null,
          "memory_percent": null,
          "alarms": {
            "ok": 0,
            "alarm": 0,
            "insufficient_data": 0
          }
        },
        {
          "project_id": "2be8992cf005f7fd443461fa5f6986c9",
          "name": "Initech",
          "tier": "discovery",
          "suspended": false,
          "instances": 0,
          "cpu_percent": null,
          "memory_percent": null,
          "alarms": {
            "ok": 0,
            "alarm": 0,
            "insufficient_data": 0
          }
        },
        {
          "project_id": "7684e86d43155220dd02533ec1291788",
          "name": "Initech",
          "tier": "discovery",
          "suspended": false,
          "instances": 0,
          "cpu_percent": null,
          "memory_percent": null,
          "alarms": {
            "ok": 0,
            "alarm": 0,
            "insufficient_data": 0
          }
        },
        {
          "project_id": "0b5d5a49fe63a870a6094f6ad3b2d5f1",
          "name": "Initech",
          "tier": "discovery",
          "suspended": false,
          "instances": 0,
          "cpu_percent": null,
          "memory_percent": null,
          "alarms": {
            "ok": 0,
            "alarm": 0,
            "insufficient_data": 0
          }
        },
        {
          "project_id": "b41497ebfe3fbbca25e8f88e7ec1ab49",
          "name": "Initech",
          "tier": "discovery",
          "suspended": false,
          "instances": 0,
          "cpu_percent": null,
          "memory_percent": null,
          "alarms": {
            "ok": 0,
            "alarm": 0,
            "insufficient_data": 0
          }
        }
      ]
    }
  },
  "monitoring.upstreams": {
    "status": 200,
    "path": {},
    "query": {},
    "responseType": "application/json",
    "response": {
      "generated_at": "2026-03-02T10:00:01.000Z",
      "window_seconds": 300,
      "upstreams": [
        {
          "upstream": "barbican",
          "component": "key-manager",
          "state": "ok",
          "since": "2026-03-02T09:00:00.000Z",
          "checked_at": "2026-03-02T09:00:00.000Z",
          "message": null,
          "calls": 240,
          "failed": 3,
          "failed_percent": 1.3,
          "p50_ms": 18.4,
          "p95_ms": 92.7,
          "last_failure": {
            "at": "2026-03-02T09:58:12.000Z",
            "call": "GET",
            "status": 503
          }
        },
        {
          "upstream": "billing",
          "component": "billing",
          "state": "ok",
          "since": "2026-03-02T09:00:00.000Z",
          "checked_at": "2026-03-02T09:00:00.000Z",
          "message": null,
          "calls": 240,
          "failed": 3,
          "failed_percent": 1.3,
          "p50_ms": 18.4,
          "p95_ms": 92.7,
          "last_failure": {
            "at": "2026-03-02T09:58:12.000Z",
            "call": "GET",
            "status": 503
          }
        },
        {
          "upstream": "cinder",
          "component": "volume",
          "state": "ok",
          "since": "2026-03-02T09:00:00.000Z",
          "checked_at": "2026-03-02T09:00:00.000Z",
          "message": null,
          "calls": 240,
          "failed": 3,
          "failed_percent": 1.3,
          "p50_ms": 18.4,
          "p95_ms": 92.7,
          "last_failure": {
            "at": "2026-03-02T09:58:12.000Z",
            "call": "GET",
            "status": 503
          }
        },
        {
          "upstream": "designate",
          "component": "dns",
          "state": "ok",
          "since": "2026-03-02T09:00:00.000Z",
          "checked_at": "2026-03-02T09:00:00.000Z",
          "message": null,
          "calls": 240,
          "failed": 3,
          "failed_percent": 1.3,
          "p50_ms": 18.4,
          "p95_ms": 92.7,
          "last_failure": {
            "at": "2026-03-02T09:58:12.000Z",
            "call": "GET",
            "status": 503
          }
        },
        {
          "upstream": "glance",
          "component": "image",
          "state": "ok",
          "since": "2026-03-02T09:00:00.000Z",
          "checked_at": "2026-03-02T09:00:00.000Z",
          "message": null,
          "calls": 240,
          "failed": 3,
          "failed_percent": 1.3,
          "p50_ms": 18.4,
          "p95_ms": 92.7,
          "last_failure": {
            "at": "2026-03-02T09:58:12.000Z",
            "call": "GET",
            "status": 503
          }
        },
        {
          "upstream": "issuer",
          "component": null,
          "state": null,
          "since": null,
          "checked_at": null,
          "message": null,
          "calls": 240,
          "failed": 3,
          "failed_percent": 1.3,
          "p50_ms": 18.4,
          "p95_ms": 92.7,
          "last_failure": {
            "at": "2026-03-02T09:58:12.000Z",
            "call": "GET",
            "status": 503
          }
        },
        {
          "upstream": "keystone",
          "component": "identity",
          "state": "ok",
          "since": "2026-03-02T09:00:00.000Z",
          "checked_at": "2026-03-02T09:00:00.000Z",
          "message": null,
          "calls": 240,
          "failed": 3,
          "failed_percent": 1.3,
          "p50_ms": 18.4,
          "p95_ms": 92.7,
          "last_failure": {
            "at": "2026-03-02T09:58:12.000Z",
            "call": "GET",
            "status": 503
          }
        },
        {
          "upstream": "kubernetes",
          "component": "kubernetes",
          "state": "ok",
          "since": "2026-03-02T09:00:00.000Z",
          "checked_at": "2026-03-02T09:00:00.000Z",
          "message": null,
          "calls": 240,
          "failed": 3,
          "failed_percent": 1.3,
          "p50_ms": 18.4,
          "p95_ms": 92.7,
          "last_failure": {
            "at": "2026-03-02T09:58:12.000Z",
            "call": "GET",
            "status": 503
          }
        },
        {
          "upstream": "monitoring",
          "component": "monitoring",
          "state": "ok",
          "since": "2026-03-02T09:00:00.000Z",
          "checked_at": "2026-03-02T09:00:00.000Z",
          "message": null,
          "calls": 240,
          "failed": 3,
          "failed_percent": 1.3,
          "p50_ms": 18.4,
          "p95_ms": 92.7,
          "last_failure": {
            "at": "2026-03-02T09:58:12.000Z",
            "call": "GET",
            "status": 503
          }
        },
        {
          "upstream": "neutron",
          "component": "network",
          "state": "ok",
          "since": "2026-03-02T09:00:00.000Z",
          "checked_at": "2026-03-02T09:00:00.000Z",
          "message": null,
          "calls": 240,
          "failed": 3,
          "failed_percent": 1.3,
          "p50_ms": 18.4,
          "p95_ms": 92.7,
          "last_failure": {
            "at": "2026-03-02T09:58:12.000Z",
            "call": "GET",
            "status": 503
          }
        },
        {
          "upstream": "nova",
          "component": "compute",
          "state": "ok",
          "since": "2026-03-02T09:00:00.000Z",
          "checked_at": "2026-03-02T09:00:00.000Z",
          "message": null,
          "calls": 240,
          "failed": 3,
          "failed_percent": 1.3,
          "p50_ms": 18.4,
          "p95_ms": 92.7,
          "last_failure": {
            "at": "2026-03-02T09:58:12.000Z",
            "call": "GET",
            "status": 503
          }
        },
        {
          "upstream": "octavia",
          "component": "load-balancer",
          "state": "ok",
          "since": "2026-03-02T09:00:00.000Z",
          "checked_at": "2026-03-02T09:00:00.000Z",
          "message": null,
          "calls": 240,
          "failed": 3,
          "failed_percent": 1.3,
          "p50_ms": 18.4,
          "p95_ms": 92.7,
          "last_failure": {
            "at": "2026-03-02T09:58:12.000Z",
            "call": "GET",
            "status": 503
          }
        },
        {
          "upstream": "postgresql",
          "component": "database",
          "state": "ok",
          "since": "2026-03-02T09:00:00.000Z",
          "checked_at": "2026-03-02T09:00:00.000Z",
          "message": null,
          "calls": 0,
          "failed": 0,
          "failed_percent": null,
          "p50_ms": null,
          "p95_ms": null,
          "last_failure": null
        },
        {
          "upstream": "resolver",
          "component": null,
          "state": null,
          "since": null,
          "checked_at": null,
          "message": null,
          "calls": 240,
          "failed": 3,
          "failed_percent": 1.3,
          "p50_ms": 18.4,
          "p95_ms": 92.7,
          "last_failure": {
            "at": "2026-03-02T09:58:12.000Z",
            "call": "GET",
            "status": 503
          }
        },
        {
          "upstream": "rgw",
          "component": "object-storage",
          "state": "ok",
          "since": "2026-03-02T09:00:00.000Z",
          "checked_at": "2026-03-02T09:00:00.000Z",
          "message": null,
          "calls": 240,
          "failed": 3,
          "failed_percent": 1.3,
          "p50_ms": 18.4,
          "p95_ms": 92.7,
          "last_failure": {
            "at": "2026-03-02T09:58:12.000Z",
            "call": "GET",
            "status": 503
          }
        },
        {
          "upstream": "zitadel",
          "component": "identity-provider",
          "state": "ok",
          "since": "2026-03-02T09:00:00.000Z",
          "checked_at": "2026-03-02T09:00:00.000Z",
          "message": null,
          "calls": 240,
          "failed": 3,
          "failed_percent": 1.3,
          "p50_ms": 18.4,
          "p95_ms": 92.7,
          "last_failure": {
            "at": "2026-03-02T09:58:12.000Z",
            "call": "GET",
            "status": 503
          }
        }
      ]
    }
  },
  "monitoring.capacity": {
    "status": 200,
    "path": {},
    "query": {},
    "responseType": "application/json",
    "response": {
      "generated_at": "2026-03-02T10:00:01.000Z",
      "sellable": {
        "tenants": {
          "discovery": 13,
          "standard": 2,
          "extension": 0
        },
        "tiers": [
          {
            "tier": "discovery",
            "admitted": true,
            "dimensions": [
              {
                "dimension": "cores",
                "requested": 8,
                "used": 168,
                "limit": 10000,
                "remaining": 9832,
                "remaining_after": 9824
              },
              {
                "dimension": "ram_gib",
                "requested": 16,
                "used": 336,
                "limit": 20000,
                "remaining": 19664,
                "remaining_after": 19648
              },
              {
                "dimension": "block_gib",
                "requested": 80,
                "used": 1640,
                "limit": 100000,
                "remaining": 98360,
                "remaining_after": 98280
              },
              {
                "dimension": "object_gib",
                "requested": 20,
                "used": 460,
                "limit": 40000,
                "remaining": 39540,
                "remaining_after": 39520
              },
              {
                "dimension": "floating_ips",
                "requested": 2,
                "used": 42,
                "limit": 4000,
                "remaining": 3958,
                "remaining_after": 3956
              }
            ]
          },
          {
            "tier": "standard",
            "admitted": true,
            "dimensions": [
              {
                "dimension": "cores",
                "requested": 32,
                "used": 168,
                "limit": 10000,
                "remaining": 9832,
                "remaining_after": 9800
              },
              {
                "dimension": "ram_gib",
                "requested": 64,
                "used": 336,
                "limit": 20000,
                "remaining": 19664,
                "remaining_after": 19600
              },
              {
                "dimension": "block_gib",
                "requested": 300,
                "used": 1640,
                "limit": 100000,
                "remaining": 98360,
                "remaining_after": 98060
              },
              {
                "dimension": "object_gib",
                "requested": 100,
                "used": 460,
                "limit": 40000,
                "remaining": 39540,
                "remaining_after": 39440
              },
              {
                "dimension": "floating_ips",
                "requested": 8,
                "used": 42,
                "limit": 4000,
                "remaining": 3958,
                "remaining_after": 3950
              }
            ]
          },
          {
            "tier": "extension",
            "admitted": true,
            "dimensions": [
              {
                "dimension": "cores",
                "requested": 128,
                "used": 168,
                "limit": 10000,
                "remaining": 9832,
                "remaining_after": 9704
              },
              {
                "dimension": "ram_gib",
                "requested": 256,
                "used": 336,
                "limit": 20000,
                "remaining": 19664,
                "remaining_after": 19408
              },
              {
                "dimension": "block_gib",
                "requested": 1200,
                "used": 1640,
                "limit": 100000,
                "remaining": 98360,
                "remaining_after": 97160
              },
              {
                "dimension": "object_gib",
                "requested": 300,
                "used": 460,
                "limit": 40000,
                "remaining": 39540,
                "remaining_after": 39240
              },
              {
                "dimension": "floating_ips",
                "requested": 16,
                "used": 42,
                "limit": 4000,
                "remaining": 3958,
                "remaining_after": 3942
              }
            ]
          }
        ],
        "pace": {
          "days": 1,
          "dimensions": [
            {
              "dimension": "cores",
              "allocated": 168,
              "limit": 10000,
              "per_day": 160,
              "exhausted_at": "2026-05-02T20:48:01.000Z"
            },
            {
              "dimension": "ram_gib",
              "allocated": 336,
              "limit": 20000,
              "per_day": 320,
              "exhausted_at": "2026-05-02T20:48:01.000Z"
            },
            {
              "dimension": "block_gib",
              "allocated": 1640,
              "limit": 100000,
              "per_day": 1560,
              "exhausted_at": "2026-05-04T11:13:51.769Z"
            },
            {
              "dimension": "object_gib",
              "allocated": 460,
              "limit": 40000,
              "per_day": 440,
              "exhausted_at": "2026-05-31T06:43:39.181Z"
            },
            {
              "dimension": "floating_ips",
              "allocated": 42,
              "limit": 4000,
              "per_day": 40,
              "exhausted_at": "2026-06-09T08:48:01.000Z"
            }
          ]
        }
      },
      "physical": {
        "hypervisors": 3,
        "vcpus": {
          "total": 192,
          "used": 1
        },
        "memory_mib": {
          "total": 786432,
          "used": 3584
        },
        "disk_gib": {
          "total": 6000,
          "used": 20
        },
        "running_instances": 1,
        "storage_bytes": {
          "total": 109951162777600,
          "used": 0
        }
      }
    }
  }
}
