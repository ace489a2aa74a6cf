/** Is there a picture in what was pasted or dropped? */

/** The first picture; null where there is none, and text is left to the browser. */
export function pictureIn(data: DataTransfer | null): File | null {
  if (data === null) return null;
  return [...data.files].find((file) => file.type.startsWith("image/")) ?? null;
}

/** Whether text comes with it, as from a spreadsheet; some systems give a file's name as text. */
export function bringsText(data: DataTransfer, picture: File): boolean {
  const text = data.getData("text/plain");
  return text !== "" && text !== picture.name;
}

/** Whether files are dragged; while they are, the browser does not say which. */
export function bringsFiles(data: DataTransfer | null): boolean {
  return data?.types.includes("Files") ?? false;
}
