-- Stores a signature and marks the chain as signed up to there. Of two servers that sign the same end, the first one counts.
with signed as (
  insert into audit_head (chain, sequence, hash, signed_at, key_id, signature) values ($1, $2, $3, $4, $5, $6)
  on conflict do nothing
)
update audit_chain set signed = greatest(signed, $2) where chain = $1
