// The values come from the palettes that these themes publish. Some are lighter here, because the
// originals are too close to their background to be legible.
extension BuiltInTheme {
  static let catppuccinColors = colors(
    [
      .text: 0xCDD6F4, .background: 0x1E1E2E, .quiet: 0xA6ADC8, .heading: 0xB4BEFE, .key: 0xCBA6F7,
      .good: 0xA6E3A1, .waiting: 0xF9E2AF, .problem: 0xF38BA8, .bar: 0x11111B,
      .barBackground: 0xCBA6F7, .problemBackground: 0xF38BA8, .progress: 0x89B4FA,
      .progressDone: 0xA6E3A1, .progressHeld: 0xF9E2AF, .progressFailed: 0xF38BA8,
      .progressBackground: 0x313244, .selectionBackground: 0x313244, .fieldBackground: 0x313244,
      .box: 0x585B70, .attention: 0xFAB387, .attentionText: 0x11111B,
    ],
    heat: [0x89B4FA, 0x89DCEB, 0xA6E3A1, 0xF9E2AF, 0xF38BA8],
    hosts: [
      0x89B4FA, 0xCBA6F7, 0xA6E3A1, 0xFAB387, 0xF5C2E7, 0x94E2D5, 0xF9E2AF, 0xEBA0AC,
    ],
    classic: .dark)

  static let draculaColors = colors(
    [
      .text: 0xF8F8F2, .background: 0x282A36, .quiet: 0xA9B3D6, .heading: 0xFF79C6, .key: 0xC29CF9,
      .good: 0x50FA7B, .waiting: 0xF1FA8C, .problem: 0xFF7A7A, .bar: 0xF8F8F2,
      .barBackground: 0x6070A3, .problemBackground: 0xE30000, .progress: 0xBD93F9,
      .progressDone: 0x50FA7B, .progressHeld: 0xF1FA8C, .progressFailed: 0xFF7474,
      .progressBackground: 0x44475A, .selectionBackground: 0x353848, .fieldBackground: 0x3A3D4F,
      .box: 0x6272A4, .attention: 0xFFB86C, .attentionText: 0x282A36,
    ],
    heat: [0xC29CF9, 0x8BE9FD, 0x50FA7B, 0xF1FA8C, 0xFF79C6],
    hosts: [
      0x8BE9FD, 0xBD93F9, 0x50FA7B, 0xFFB86C, 0xFF79C6, 0xF1FA8C, 0xF8F8F2, 0xFF5555,
    ],
    classic: .dark)

  static let gruvboxColors = colors(
    [
      .text: 0xEBDBB2, .background: 0x282828, .quiet: 0xAEA08D, .heading: 0xFBF1C7, .key: 0xFABD2F,
      .good: 0xB8BB26, .waiting: 0xFE8019, .problem: 0xFC7464, .bar: 0x282828,
      .barBackground: 0xD5C4A1, .problemBackground: 0xFB5643, .progress: 0x83A598,
      .progressDone: 0xB8BB26, .progressHeld: 0xFABD2F, .progressFailed: 0xFB4934,
      .progressBackground: 0x3C3836, .selectionBackground: 0x32302F, .fieldBackground: 0x3C3836,
      .box: 0x665C54, .attention: 0xFE8019, .attentionText: 0x1D2021,
    ],
    heat: [0x83A598, 0xB8BB26, 0xFABD2F, 0xFE8019, 0xFC7464],
    hosts: [
      0x83A598, 0xD3869B, 0x689D6A, 0xFABD2F, 0xFE8019, 0xB8BB26, 0xD5C4A1, 0xFB4934,
    ],
    classic: .dark)

  static let nordColors = colors(
    [
      .text: 0xD8DEE9, .background: 0x2E3440, .quiet: 0xD8DEE9, .heading: 0x91C5D3, .key: 0x9AC3C2,
      .good: 0xABC496, .waiting: 0xEBCB8B, .problem: 0xD79CA1, .bar: 0xECEFF4,
      .barBackground: 0x4C566A, .problemBackground: 0x9B3F48, .progress: 0x88C0D0,
      .progressDone: 0xA3BE8C, .progressHeld: 0xEBCB8B, .progressFailed: 0xC8777F,
      .progressBackground: 0x3B4252, .selectionBackground: 0x373F4D, .fieldBackground: 0x3B4252,
      .box: 0x4C566A, .attention: 0xEBCB8B, .attentionText: 0x2E3440,
    ],
    heat: [0x9CB5CE, 0x91C5D3, 0xABC496, 0xEBCB8B, 0xD89C89],
    hosts: [
      0x88C0D0, 0xB48EAD, 0xA3BE8C, 0xEBCB8B, 0xD08770, 0x81A1C1, 0xC7757C, 0xE5E9F0,
    ],
    classic: .dark)

  static let solarizedColors = colors(
    [
      .text: 0x93A1A1, .background: 0x002B36, .quiet: 0x8D9D9E, .heading: 0xEEE8D5, .key: 0x2DABA1,
      .good: 0x90A500, .waiting: 0xC19200, .problem: 0xE87876, .bar: 0xFDF6E3,
      .barBackground: 0x073642, .problemBackground: 0xD72724, .progress: 0x268BD2,
      .progressDone: 0x859900, .progressHeld: 0xB58900, .progressFailed: 0xDF413F,
      .progressBackground: 0x073642, .selectionBackground: 0x073642, .fieldBackground: 0x073642,
      .box: 0x586E75, .attention: 0xEC7A4B, .attentionText: 0x002B36,
    ],
    heat: [0x48A0DE, 0x2DABA1, 0x90A500, 0xC19200, 0xE87876],
    hosts: [
      0x268BD2, 0x7075C6, 0x859900, 0xB58900, 0xD54088, 0x2AA198, 0xEEE8D5, 0xD64F17,
    ],
    classic: .dark)

  static let tokyoNightColors = colors(
    [
      .text: 0xC0CAF5, .background: 0x1A1B26, .quiet: 0x9AA5CE, .heading: 0x7DCFFF, .key: 0xBB9AF7,
      .good: 0x9ECE6A, .waiting: 0xE0AF68, .problem: 0xF7768E, .bar: 0xD5DBF8,
      .barBackground: 0x3B4261, .problemBackground: 0x753D47, .progress: 0x7AA2F7,
      .progressDone: 0x9ECE6A, .progressHeld: 0xE0AF68, .progressFailed: 0xF7768E,
      .progressBackground: 0x292E42, .selectionBackground: 0x292E42, .fieldBackground: 0x292E42,
      .box: 0x414868, .attention: 0xFF9E64, .attentionText: 0x1A1B26,
    ],
    heat: [0x7AA2F7, 0x7DCFFF, 0x9ECE6A, 0xE0AF68, 0xF7768E],
    hosts: [
      0x7AA2F7, 0xBB9AF7, 0x9ECE6A, 0xFF9E64, 0xF7768E, 0x73DACA, 0xE0AF68, 0xC0CAF5,
    ],
    classic: .dark)
}
