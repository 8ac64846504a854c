/** The media type of PDF (RFC 8118). */
export const PDF_MEDIA_TYPE = 'application/pdf'
