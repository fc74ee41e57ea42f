import Glibc

/// UTF-8 as the text encoding of one thread.
///
/// libcurl reads a host with letters outside of ASCII in the locale's encoding (idn2_lookup_ul),
/// and a service has the C locale, in which such a host is malformed. uselocale(3) changes it for
/// the calling thread only, on which libcurl takes the URL apart.
struct UTF8Locale {
  private let made: locale_t
  private let previous: locale_t?

  /// Answers nil on a system without C.UTF-8.
  init?() {
    guard let made = newlocale(LC_CTYPE_MASK, "C.UTF-8", nil) else { return nil }
    self.made = made
    previous = uselocale(made)
  }

  /// Called once, on the thread that made it.
  func restore() {
    uselocale(previous)
    freelocale(made)
  }
}
