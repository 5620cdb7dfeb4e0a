-- Numbers that were given to writes which are lost are never given again: clients and running gateways hold the numbers
-- of events as cursors, and would take the next events for ones that they have seen. After a failover that lost writes:
--   psql "$DATABASE_URL" -X -v ON_ERROR_STOP=1 -f deploy/postgresql/skip-numbers.sql
-- after-restore.sql includes it. It may run again.
SELECT setval(pg_get_serial_sequence('events', 'sequence'),
  GREATEST((SELECT max(sequence) FROM events), (SELECT last_value FROM events_sequence_seq)) + 1000000000) AS next_event;
SELECT setval(pg_get_serial_sequence('accounts', 'number'),
  GREATEST((SELECT max(number) FROM accounts), (SELECT last_value FROM accounts_number_seq)) + 1000) AS next_account;
