import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** A part of a database as statements that make it again. */
type Statements = ReadonlyArray<string>

const texts = Effect.fnUntraced(function* (query: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql.unsafe<{ readonly text: string }>(query)
  return rows.map((_) => _.text)
})

const ours = `relnamespace = 'public'::regnamespace`

/** A column as `CREATE TABLE` has it. */
const column = `
  concat_ws(' ', quote_ident(a.attname), format_type(a.atttypid, a.atttypmod),
    CASE WHEN a.attcollation <> t.typcollation THEN 'COLLATE ' || quote_ident(l.collname) END,
    CASE WHEN a.attidentity = 'a' THEN 'GENERATED ALWAYS AS IDENTITY'
      WHEN a.attgenerated = 's' THEN 'GENERATED ALWAYS AS (' || pg_get_expr(d.adbin, d.adrelid) || ') STORED'
      WHEN d.adbin IS NOT NULL THEN 'DEFAULT ' || pg_get_expr(d.adbin, d.adrelid) END,
    CASE WHEN a.attnotnull THEN 'NOT NULL' END)`

/** Columns come by name: a later migration appends what an earlier one would have had in the middle. */
const tables = texts(`
  SELECT format(E'CREATE TABLE %I (\\n  %s\\n)', c.relname, string_agg(${column}, E',\\n  ' ORDER BY a.attname)) AS text
  FROM pg_class AS c
  JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  JOIN pg_type AS t ON t.oid = a.atttypid
  LEFT JOIN pg_collation AS l ON l.oid = a.attcollation
  LEFT JOIN pg_attrdef AS d ON d.adrelid = c.oid AND d.adnum = a.attnum
  WHERE c.${ours} AND c.relkind = 'r'
  GROUP BY c.relname ORDER BY c.relname`)

/** What the planner is told of columns, as `n_distinct`. `pg_attver` is bookkeeping of point releases (15.20 is one), which `pg_dump` leaves out too. */
const options = texts(`
  SELECT format('ALTER TABLE %I ALTER COLUMN %I SET (%s)', c.relname, a.attname, string_agg(o.option, ', ' ORDER BY o.option)) AS text
  FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid, unnest(a.attoptions) AS o (option)
  WHERE c.${ours} AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped AND o.option NOT LIKE 'pg\\_attver=%'
  GROUP BY c.relname, a.attname ORDER BY c.relname, a.attname`)

const constraints = texts(`
  SELECT format('ALTER TABLE %I ADD CONSTRAINT %I %s', c.relname, k.conname, pg_get_constraintdef(k.oid)) AS text
  FROM pg_constraint AS k JOIN pg_class AS c ON c.oid = k.conrelid
  WHERE c.${ours} AND k.contype IN ('p', 'u', 'c', 'f')
  ORDER BY position(k.contype::text IN 'pucf'), c.relname, k.conname`)

const indexes = texts(`
  SELECT pg_get_indexdef(i.indexrelid) AS text
  FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid
  WHERE c.${ours} AND NOT EXISTS (SELECT FROM pg_constraint AS k WHERE k.conindid = i.indexrelid AND k.contype IN ('p', 'u'))
  ORDER BY c.relname`)

const functions = texts(`
  SELECT pg_get_functiondef(oid) AS text FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY proname`)

const triggers = texts(`
  SELECT pg_get_triggerdef(g.oid) AS text
  FROM pg_trigger AS g JOIN pg_class AS c ON c.oid = g.tgrelid
  WHERE c.${ours} AND NOT g.tgisinternal ORDER BY c.relname, g.tgname`)

/** The rows, as statements for tables without triggers, and where their identities go on. */
const rows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = yield* sql.unsafe<{ readonly name: string; readonly columns: string }>(`
    SELECT c.relname AS name, string_agg(quote_ident(a.attname), ', ' ORDER BY a.attname) AS columns
    FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE c.${ours} AND c.relkind = 'r' AND a.attgenerated = ''
    GROUP BY c.relname ORDER BY c.relname`)
  const inserts = yield* Effect.forEach(columns, ({ columns, name }) =>
    texts(`
      SELECT format('INSERT INTO %I (${columns}) OVERRIDING SYSTEM VALUE SELECT ${columns} FROM jsonb_populate_record(NULL::%I, %L)',
        '${name}', '${name}', to_jsonb(whole_row)) AS text
      FROM "${name}" AS whole_row ORDER BY to_jsonb(whole_row)::text COLLATE "C"`)
  )
  const identities = yield* texts(`
    SELECT format('SELECT setval(pg_get_serial_sequence(%L, %L), 1000)', c.relname, a.attname) AS text
    FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
    WHERE c.${ours} AND a.attidentity = 'a' ORDER BY c.relname`)
  return [...inserts.flat(), ...identities]
})

/** A line between two statements; bodies of functions have lines that end with a semicolon. */
const between = ";\n--\n"

const asText = (parts: ReadonlyArray<Statements>): string => `${parts.flat().join(between)}${between}`

/** The schema, the same for two databases exactly when nothing but the order of their columns differs. */
export const schemaOf = Effect.map(Effect.all([tables, options, constraints, indexes, functions, triggers]), asText)

/** Everything, for {@link restore}: rows come before what would change or refuse them. */
export const dumpOf = Effect.map(Effect.all([tables, options, rows, constraints, indexes, functions, triggers]), asText)

const run = Effect.fnUntraced(function* (statements: Statements) {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(
    statements.filter((_) => _.trim() !== ""),
    (_) => sql.unsafe(_),
    { discard: true }
  )
})

/** Makes an empty database what the dump was made of. */
export const restore = (dump: string) => run(dump.split(between))

/** Inserts the rows of `rows.sql`. */
export const insertRows = (text: string) => run(text.split(/;\n/))
