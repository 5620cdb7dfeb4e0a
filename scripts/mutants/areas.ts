/** What is mutated: an even share of the mutants comes from the files of each area. A file counts for the first that has it. */
export const areas: Readonly<Record<string, ReadonlyArray<string>>> = {
  tiers: [
    "packages/contract/src/Tiers.ts",
    "packages/domain/src/tenants/{TierTags,heldTiers,moveTier,tenantTier}.ts",
    "packages/domain/src/quotas/*.ts"
  ],
  limits: ["packages/{domain,upstream}/src/limits/*.ts"],
  access: [
    "packages/contract/src/Access.ts",
    "packages/domain/src/access/*.ts",
    "packages/domain/src/policy/*.ts",
    "packages/gateway/src/middleware/access.ts"
  ],
  onboarding: ["packages/domain/src/onboarding/*.ts"],
  leases: [
    "packages/domain/src/work/*.ts",
    "packages/store/src/{Deliveries,Exposures,Journal,Leases,Purges,Relays,Rotations,leased}.ts"
  ],
  "proxy rules": [
    "packages/gateway/src/proxy/rules/*.ts",
    "packages/gateway/src/proxy/{balancing,headers,links,path,query,references,secretReads,treatment}.ts",
    "packages/gateway/src/proxy/kubernetes/{access,destroying,guards,identity,locations,suspension,target,writable,Tenancy}.ts"
  ],
  acts: ["packages/gateway/src/acts/*.ts"],
  money: ["packages/contract/src/Money.ts", "packages/domain/src/money/*.ts"],
  "store statements": ["packages/store/src/*.ts"],
  "agent plane": ["packages/agent/src/**/*.ts", "packages/gateway/src/agent/**/*.ts"]
}
