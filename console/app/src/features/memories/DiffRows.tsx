// The difference between two texts of a memory: removed text is struck through, added text is underlined.
import { shown } from "../../parts/reveal";
import type { DiffRow, Piece } from "./diff";

export function DiffRows(props: { rows: DiffRow[] }) {
  return (
    <dl className="flex flex-col gap-2 text-sm">
      {props.rows.map((row) => (
        <div key={row.label}>
          <dt className="text-xs font-semibold text-soft">{row.label}</dt>
          <dd className="words-run">
            {row.pieces.map((piece, index) => (
              // Pieces have no id, and all of them are rendered together.
              // oxlint-disable-next-line react/no-array-index-key
              <OnePiece key={index} piece={piece} />
            ))}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function OnePiece(props: { piece: Piece }) {
  const text = shown(props.piece.text);
  if (props.piece.kind === "added") return <ins className="bg-pass-tint text-pass">{text}</ins>;
  if (props.piece.kind === "removed") return <del className="bg-fail-tint text-fail">{text}</del>;
  return text;
}
