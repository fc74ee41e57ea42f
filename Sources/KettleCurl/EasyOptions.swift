import CKettleCurl

/// Sets options and keeps the first error.
struct EasyOptions {
  let easy: UnsafeMutableRawPointer
  private(set) var code = CURLE_OK

  init(easy: UnsafeMutableRawPointer) { self.easy = easy }

  mutating func note(_ result: CURLcode) {
    if code == CURLE_OK { code = result }
  }

  mutating func set(_ option: CURLoption, _ value: Int) {
    note(kettle_easy_set_long(easy, option, value))
  }

  mutating func set(_ option: CURLoption, _ value: String?) {
    note(kettle_easy_set_text(easy, option, value))
  }

  mutating func set(_ option: CURLoption, _ value: UnsafeMutableRawPointer) {
    note(kettle_easy_set_pointer(easy, option, value))
  }

  mutating func set(_ option: CURLoption, _ function: curl_write_callback) {
    note(kettle_easy_set_data_function(easy, option, function))
  }
}
