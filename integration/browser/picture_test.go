package browser

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"slices"
)

// encode returns the upper part of img as a PNG of the 256 colours that are in most of its pixels.
func encode(img image.Image, tall int) ([]byte, error) {
	bounds := img.Bounds()
	bounds.Max.Y = min(bounds.Max.Y, bounds.Min.Y+tall)
	counts := make(map[color.RGBA]int)
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			counts[color.RGBAModel.Convert(img.At(x, y)).(color.RGBA)]++
		}
	}
	var palette color.Palette
	for c := range counts {
		palette = append(palette, c)
	}
	slices.SortFunc(palette, func(a, b color.Color) int {
		return cmp.Compare(counts[b.(color.RGBA)], counts[a.(color.RGBA)])
	})
	small := image.NewPaletted(bounds, palette[:min(len(palette), 256)])
	draw.Draw(small, bounds, img, bounds.Min, draw.Src)
	var b bytes.Buffer
	err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, small)
	return b.Bytes(), err
}
