variable "name" {
  description = "Name of the network"
  type        = string

  validation {
    condition     = length(var.name) > 2
    error_message = "The name needs three characters."
  }
}

variable "cidr" {
  description = "Address range"
  type        = string
  default     = "10.0.0.0/16"
  nullable    = false
}

variable "subnets" {
  type = map(object({
    cidr   = string
    public = optional(bool, false)
  }))
  default = {}
}

variable "password" {
  type      = string
  default   = null
  sensitive = true
}

variable "anything" {}
