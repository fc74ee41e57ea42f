import KettleDashboard

/// The key sequences that nearly all terminals send, for terminals whose description has others:
/// TERM is often wrong, and the arrow keys should work nevertheless.
///
/// xterm's "PC-Style Function Keys" and "VT220-Style Function Keys" (ctlseqs.txt).
enum KeySequence {
  /// Returns the key for `Esc O letter`.
  static func key(singleShift letter: Unicode.Scalar) -> Key {
    switch letter {
    case "P": .function(1)
    case "Q": .function(2)
    case "R": .function(3)
    case "S": .function(4)
    case "M": .enter
    default: place(letter) ?? .unknown
    }
  }

  /// Returns the key for `Esc [ parameters final`; a key with a modifier has no name here.
  static func key(parameters: String, final: Unicode.Scalar) -> Key {
    let hasModifier = parameters.contains(";") && !parameters.hasSuffix(";1")
    guard !hasModifier else { return .unknown }
    let number = Int(parameters.prefix { $0 != ";" })
    guard final == "~" else { return place(final) ?? .unknown }
    return switch number {
    case 1, 7: .home
    case 3: .delete
    case 4, 8: .end
    case 5: .pageUp
    case 6: .pageDown
    case .some(let number): function(number)
    case nil: .unknown
    }
  }

  private static func place(_ letter: Unicode.Scalar) -> Key? {
    switch letter {
    case "A": .up
    case "B": .down
    case "C": .right
    case "D": .left
    case "H": .home
    case "F": .end
    case "Z": .backTab
    default: nil
    }
  }

  /// The numbers have gaps where the VT220 keyboard had them.
  private static func function(_ number: Int) -> Key {
    switch number {
    case 11...15: .function(number - 10)
    case 17...21: .function(number - 11)
    case 23...24: .function(number - 12)
    default: .unknown
    }
  }
}
