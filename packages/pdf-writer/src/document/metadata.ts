/** What a document says about itself. */
export interface DocumentAbout {
  readonly title: string
  readonly author: string
  readonly subject: string
  /** The language of the document, such as `en`. */
  readonly language: string
  /** In milliseconds since 1970. */
  readonly madeAt: number
  /** Documents with the same id are the same. */
  readonly id: string
}

/** What a document without a structure says about itself. */
export const NOT_TAGGED = 'Not tagged: the document has too many rows'

/** Writes what a document says about itself in XMP (ISO 16684). */
export function metadataOf(about: DocumentAbout, producer: string, isTagged: boolean): Uint8Array {
  const madeAt = new Date(about.madeAt).toISOString()
  const inLanguage = (text: string) => {
    return `<rdf:Alt><rdf:li xml:lang="x-default">${escaped(text)}</rdf:li></rdf:Alt>`
  }
  const text = `<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/">
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:pdf="http://ns.adobe.com/pdf/1.3/"
 xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/">
<dc:title>${inLanguage(about.title)}</dc:title>
<dc:description>${inLanguage(about.subject)}</dc:description>
<dc:creator><rdf:Seq><rdf:li>${escaped(about.author)}</rdf:li></rdf:Seq></dc:creator>
<dc:language><rdf:Bag><rdf:li>${escaped(about.language)}</rdf:li></rdf:Bag></dc:language>
${isTagged ? '<pdfuaid:part>1</pdfuaid:part>' : `<pdf:Keywords>${NOT_TAGGED}</pdf:Keywords>`}
<pdf:Producer>${escaped(producer)}</pdf:Producer>
<xmp:CreateDate>${madeAt}</xmp:CreateDate>
<xmp:ModifyDate>${madeAt}</xmp:ModifyDate>
</rdf:Description>
</rdf:RDF>
</x:xmpmeta>
<?xpacket end="r"?>`
  return Buffer.from(text)
}

function escaped(text: string): string {
  // XML has no control characters.
  const visible = text.replaceAll(/[\p{Cc}\p{Cs}\ufffe\uffff]/gu, ' ')
  return visible.replaceAll(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}
