-- Receipts are written in the background, and the scores of their candidates take 16 bits each.
--
-- `scores` has the similarities of all candidates and then their utilities, each multiplied by 32767 and rounded. Receipts
-- that were stored before have `similarities` and `utilities` instead; these expire with the retention of receipts, and a
-- later migration removes both columns. Changes of the catalogue only: no row is read or written.
alter table retrieval add scores smallint[];
alter table retrieval alter similarities drop not null, alter utilities drop not null;
