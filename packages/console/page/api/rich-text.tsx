/** Shows the two marks of Markdown that descriptions have: code and strong text. */
export function RichText({ text }: { readonly text: string }) {
  return (
    <>
      {text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((piece, at) => {
        if (at % 2 === 0) return piece
        if (piece.startsWith('`')) return <code key={at}>{piece.slice(1, -1)}</code>
        return <strong key={at}>{piece.slice(2, -2)}</strong>
      })}
    </>
  )
}
