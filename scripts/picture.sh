#!/bin/sh
# Draws what a command prints as an SVG picture of a terminal: some command | scripts/picture.sh > picture.svg
# scripts/pictures.sh makes the README's picture with it.
exec awk '
    { line[NR] = $0; if (length($0) > widest) widest = length($0) }
    END {
        character = 8.4; height = 19
        width = int(widest * character) + 40
        total = NR * height + 36
        printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\"", width, total, width, total
        printf " font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"14\">\n"
        printf "<rect width=\"100%%\" height=\"100%%\" rx=\"8\" fill=\"#10151c\"/>\n"
        for (i = 1; i <= NR; i++) {
            text = line[i]
            gsub(/&/, "\\&amp;", text); gsub(/</, "\\&lt;", text); gsub(/>/, "\\&gt;", text)
            colour = (i == 1) ? "#ff8f7a" : "#dbe4ee"
            while (match(text, /#+/)) {    # bars of error in colour
                bar = substr(text, RSTART, RLENGTH)
                rest = substr(text, RSTART + RLENGTH)
                blocks = bar; gsub(/#/, "█", blocks)
                text = substr(text, 1, RSTART - 1) "<tspan fill=\"@e8a33d\">" blocks "</tspan>" rest
            }
            gsub(/@e8a33d/, "#e8a33d", text)
            printf "<text x=\"20\" y=\"%d\" fill=\"%s\" xml:space=\"preserve\">%s</text>\n", 18 + i * height, colour, text
        }
        print "</svg>"
    }'
