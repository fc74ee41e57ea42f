import CKettleCurl

/// Sets options and keeps the first error.
struct EasyOptions {
  let easy: UnsafeMutableRawPointer
  private(set) var code = CURLE_OK

  init(easy: UnsafeMutableRawPointer) { self.easy = easy }

  mutating func check(_ result: CURLcode) {
    if code == CURLE_OK { code = result }
  }

  mutating func set(_ option: CURLoption, _ value: Int) {
    check(kettle_easy_set_long(easy, option, value))
  }

  mutating func set(_ option: CURLoption, _ value: String?) {
    check(kettle_easy_set_text(easy, option, value))
  }

  mutating func set(_ option: CURLoption, _ value: UnsafeMutableRawPointer) {
    check(kettle_easy_set_pointer(easy, option, value))
  }

  mutating func set(_ option: CURLoption, _ function: curl_write_callback) {
    check(kettle_easy_set_data_function(easy, option, function))
  }
}
