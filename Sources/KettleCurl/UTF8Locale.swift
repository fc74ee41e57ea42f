import Glibc

/// UTF-8 as the text encoding of one thread.
///
/// libcurl converts a non-ASCII host from the locale's encoding (idn2_lookup_ul). A service has the
/// C locale, in which such a host is malformed. uselocale(3) changes the locale only for the
/// calling thread, on which libcurl parses the URL.
struct UTF8Locale {
  private let made: locale_t
  private let previous: locale_t?

  /// Returns nil on a system without C.UTF-8.
  init?() {
    guard let made = newlocale(LC_CTYPE_MASK, "C.UTF-8", nil) else { return nil }
    self.made = made
    previous = uselocale(made)
  }

  /// Call once, on the thread that created it.
  func restore() {
    uselocale(previous)
    freelocale(made)
  }
}
