/** What a panel shows, as a picture. */

/** How often a picture has the pixels of the page. */
const SCALE = 2;

/** A drawing of the page as a picture, on the ground that it stands on. */
export async function pictureOf(drawing: SVGSVGElement, ground: string): Promise<Blob | null> {
  const { width, height } = drawing.getBoundingClientRect();
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  for (const [name, value] of [["xmlns", "http://www.w3.org/2000/svg"], ["width", String(width)], ["height", String(height)], ["font-family", "sans-serif"]] as const) copy.setAttribute(name, value);
  const address = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" }));
  try {
    const picture = new Image();
    picture.src = address;
    await picture.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: width * SCALE, height: height * SCALE });
    const pen = canvas.getContext("2d")!;
    pen.scale(SCALE, SCALE);
    pen.fillStyle = ground;
    pen.fillRect(0, 0, width, height);
    pen.drawImage(picture, 0, 0, width, height);
    return await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  } finally {
    URL.revokeObjectURL(address);
  }
}
