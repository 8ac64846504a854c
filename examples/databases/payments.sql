-- The tables of an orchestrator in PostgreSQL, with a few payments: the database of ../sources/payments.sql.
CREATE TABLE merchants (id text PRIMARY KEY, reference text NOT NULL);
INSERT INTO merchants VALUES ('mer_alpha', 'alpha-shop'), ('mer_beta', 'beta-shop');

CREATE TABLE payments (
  payment_id uuid PRIMARY KEY,
  attempt_of text NOT NULL,
  merchant_id text NOT NULL REFERENCES merchants,
  merchant_reference text,
  state text NOT NULL,
  amount_minor bigint NOT NULL,
  currency char(3) NOT NULL,
  connector text,
  card jsonb,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
CREATE INDEX ON payments (updated_at);
CREATE INDEX ON payments (created_at);
INSERT INTO payments VALUES
  ('6f9d2c1e-0b7a-4c9e-9a55-1f2d3c4b5a69', 'ord_77', 'mer_alpha', 'INV-2001', 'captured', 129900, 'EUR', 'con_a',
   '{"scheme":"visa","iin":"41111111","last4":"1111"}', '2026-10-01 08:00:00.123456+00', '2026-10-01 08:00:02.5+00'),
  ('b0c1d2e3-1111-4222-8333-444455556666', 'ord_78', 'mer_alpha', 'INV-2002', 'rejected', 4990, 'EUR', 'con_a',
   '{"scheme":"mastercard","iin":"550000","last4":"0004"}', '2026-10-01 08:05:00+00', '2026-10-01 08:05:01+00'),
  ('0a1b2c3d-aaaa-4bbb-8ccc-ddddeeeeffff', 'ord_79', 'mer_beta', 'INV-2003', 'captured', 5000, 'JPY', 'con_b',
   NULL, '2026-10-01 09:00:00+00', '2026-10-01 09:00:03+00'),
  ('11111111-2222-4333-8444-555555555555', 'ord_80', 'mer_beta', NULL, 'draft', 0, 'EUR', 'con_b',
   NULL, '2026-10-01 09:10:00+00', '2026-10-01 09:10:00+00');
