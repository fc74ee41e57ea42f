import Foundation
import FoundationNetworking

extension URLSession {
  /// Makes an upload of a file.
  ///
  /// The body of the request is not looked at; without a method it is a PUT or POST only when the
  /// request says so. When the connection is lost the file is sent again from its beginning.
  ///
  /// ```swift
  /// var request = URLRequest(url: url)
  /// request.httpMethod = "POST"
  /// session.uploadTask(with: request, fromFile: file).resume()
  /// ```
  public func uploadTask(with request: URLRequest, fromFile fileURL: URL) -> URLSessionUploadTask {
    core.makeUpload(request, file: fileURL)
  }
}
