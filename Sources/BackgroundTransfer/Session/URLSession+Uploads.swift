import Foundation
import FoundationNetworking

extension URLSession {
  /// Creates an upload of a file.
  ///
  /// The body of the request is ignored, and its method is sent as it is: set PUT or POST. A file
  /// that cannot be read makes the task fail with `URLError.fileDoesNotExist`. After a lost
  /// connection the file is sent again from its beginning.
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
